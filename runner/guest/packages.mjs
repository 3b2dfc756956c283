// The image's wheels. Their files are opened while this process may still read, and read when a snippet imports one: the open
// files outlive the right, and hold nothing but the wheels.

export function openPackages(here) {
  const { packages } = JSON.parse(Deno.readTextFileSync(here + "packages.json"));
  const files = new Map();
  for (const { file } of packages) {
    const opened = Deno.openSync(`${here}wheels/${file}`);
    files.set(file, [opened, opened.statSync().size]);
  }
  return {
    list: JSON.stringify(packages),
    read(name) {
      const [file, size] = files.get(name);
      const bytes = new Uint8Array(size);
      for (let offset = 0; offset < bytes.length; ) offset += file.readSync(bytes.subarray(offset));
      file.close();
      return bytes;
    },
  };
}
