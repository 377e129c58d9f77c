// Validates AsyncAPI: `asyncapi.cjs FILE`. What is not an error is only told.
const { readFileSync } = require('node:fs');
const { Parser } = require('@asyncapi/parser');

const [file] = process.argv.slice(2);
new Parser().parse(readFileSync(file, 'utf8')).then(({ document, diagnostics }) => {
  const errors = diagnostics.filter(({ severity }) => severity === 0);
  for (const { path, message, severity } of diagnostics) {
    if (severity <= 1) console.log(`${file}: ${path.join('/')}: ${message}`);
  }
  if (!document || errors.length > 0) process.exit(1);
  console.log(`${file}: AsyncAPI ${document.version()}, ${document.allMessages().length} messages, right`);
});
