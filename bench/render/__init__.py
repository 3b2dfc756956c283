"""Reports and results as terminal text and JSON. Pure: values in, text out; printing is the front end's."""
