"""Attacks by what comes out of a snippet, and by what stands in the tables. The form is that of attacks.py."""

# ruff: noqa: E501 (a snippet in one line reads better than one cut in pieces)
from __future__ import annotations

from attacks import Attack

OUTPUT = [
    Attack("a screen of ANSI", "print('\\x1b[2J\\x1b]0;title\\x07')\n1", "ok", 1),
    Attack("a bell", "print('\\a\\b\\r')\n'\\x07'", "ok", "\x07"),
    Attack("text that runs backwards", "'\\u202eexe.'", "ok", "\u202eexe."),
    Attack("bytes on stdout", "import sys\n_ = sys.stdout.buffer.write(b'\\xff' * 64)\n1", "ok", 1),
    Attack("bytes that are no UTF-8", "import os\n_ = os.write(1, b'\\xc3\\x28\\xa0\\xa1')\n1", "ok", 1),
    Attack("extreme numbers", "[-0.0, 5e-324, 1.7976931348623157e308]", "ok", [-0.0, 5e-324, 1.7976931348623157e308]),
    Attack("an integer of 5000 digits", "10 ** 5000", "ok", "<an integer of 16610 bits>"),
    Attack("keys that collide", "{1: 'a', '1': 'b'}", "ok", {"1": "b"}),
    Attack("a key that is a surrogate", "{chr(0xD800): 1}", "ok", {"\\ud800": 1}),
    Attack("a proto key", "{'__proto__': {'admin': True}}", "ok", {"__proto__": {"admin": True}}),
    Attack("a mapping without end", "class M(dict):\n    def items(self):\n        while True: yield 1, 1\nM()", "time_limit"),
    Attack("a text that lies", "class S(str):\n    def encode(self, *a): return b'x' * 10**7\nS('a')", "ok", "a"),
    Attack("a number that lies", "class I(int):\n    def __repr__(self): return '}'\nI(7)", "ok", 7),
    Attack("a float that lies", "class F(float):\n    def __repr__(self): return 'NaN'\nF(7.5)", "ok", 7.5),
    Attack("a class of two faces", "class A:\n    @property\n    def __class__(self): return int\nA()", "error"),
    Attack("a module as value", "import sys\nsys", "ok"),
    Attack("a generator as value", "(i for i in range(3))", "ok"),
    Attack("a JavaScript value", "import js\njs.Object", "ok"),
    Attack("an artifact with a line break", "open('/out/a\\nb', 'w').close()\n1", "ok", 1),
    Attack("an artifact of a device's name", "open('/out/C:evil', 'w').close()\n1", "ok", 1),
    Attack("an artifact of half a character", "open(b'/out/\\xff', 'w').close()\n1", "ok", 1),
    Attack("an artifact with a long name", "import os\nos.makedirs('/out/' + '/'.join(['a' * 200] * 3))\nopen('/out/' + '/'.join(['a' * 200] * 3) + '/b', 'w').close()\n1", "ok", 1),
    Attack("a thousand files", "for i in range(1000): open(f'/out/{i}', 'w').close()\n1", "ok", 1),
    Attack("a link in /out", "import os\nos.symlink('/lib', '/out/lib')\n1", "ok", 1),
    Attack("a folder loop in /out", "import os\nos.symlink('/out', '/out/loop')\n1", "ok", 1),
    Attack("a chart that is no chart", "chart([1])", "error", "a Vega-Lite specification"),
    Attack("a chart without end", "x = {}\nx['x'] = x\nchart(x)", "error", "Circular"),
    Attack("an exception with a huge text", "raise ValueError('x' * 10**7)", "error", "10000000 characters"),
    Attack("a chain of exceptions", "e = ValueError()\nfor _ in range(10**4):\n    n = ValueError()\n    n.__cause__ = e\n    e = n\nraise e", "crashed"),
    Attack("a class name that is markup", "raise type('<b>\\x1b[0m', (Exception,), {})('x')", "error"),
    Attack("warnings without end", "import time\nfor i in range(10**4): time.sleep(1)\n1", "ok", 1),
]  # fmt: skip

NAME = 'a"; drop table retest; --'
QUOTED = '"a""; drop table retest; --"'
CELL = "'); drop table retest; --"
HOSTILE = (
    f"SELECT '__import__(''os'').abort()' AS {QUOTED}, '<script>alert(1)</script>' AS \"__class__\", "
    "'''); drop table retest; --' AS quote, 'a' || chr(0) || 'b' AS nul"
)
DATA = [
    Attack("a column name that is SQL", f"con.sql({f'select {QUOTED} from hostile'!r}).columns", "ok", [NAME]),
    Attack("all hostile columns", "len(con.sql('select * from hostile').columns)", "ok", 4),
    Attack("a relation of them printed", "print(con.sql('select * from hostile'))\n1", "ok", 1),
    Attack("a relation of them derived", "con.table('hostile').filter('true').limit(1).shape", "ok", [1, 4]),
    Attack("a column by its hostile name", f"con.table('hostile')[{NAME!r}].fetchone()", "ok", ["__import__('os').abort()"]),
    Attack("a column of Python's own name", "con.table('hostile')['__class__'].fetchone()", "ok", ["<script>alert(1)</script>"]),
    Attack("a cell as a parameter", "con.execute('select ?', con.sql('select quote from hostile').fetchone()).fetchone()", "ok", [CELL]),
    Attack("a cell in a list parameter", f"con.execute('select ?', [[{CELL!r}]]).fetchone()[0]", "ok", [CELL]),
    Attack("a cell in a struct parameter", f"con.execute('select ?', [{{{CELL!r}: {CELL!r}}}]).fetchone()[0]", "ok", {CELL: CELL}),
    Attack("a parameter's name that is SQL", f"con.execute('select $a', {{{NAME!r}: 1}})", "error", ""),
    Attack("a cell with NUL", "con.sql('select nul from hostile').fetchone()[0]", "ok", "a\x00b"),
    Attack("a cell that formats", "'{0.__class__}'.format(con.sql('select quote from hostile').fetchone()[0])", "ok", "<class 'str'>"),
    Attack("a table name that is SQL", "con.table('retest; drop table retest')", "error", "does not exist"),
    Attack("a table made with a hostile name", f"con.sql('select 1').create({NAME!r})\ncon.sql('select count(*) from retest').fetchone()", "ok", [3]),
    Attack("an alias that is SQL", f"con.sql('select 1 as a').set_alias({NAME!r}).filter('a = 1').fetchall()", "ok", [[1]]),
    Attack("a view that shadows the table", "con.execute('create or replace temp view retest as select 9 as value_v')\nr = con.sql('select value_v from analysis.main.retest').fetchone()\n_ = con.execute('drop view retest')\nr", "ok", [4.98]),
    Attack("dropping the table", "con.execute('drop table analysis.main.retest')", "error", "read-only"),
]  # fmt: skip
