// The Inspector's command line, in the era that the variant names. It prints the whole result.
import { runCommand } from './steps.mjs';

const CLI = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';

export default async function run({ server, good, bad, variant }) {
  const ask = async (method, expected, ...args) => {
    const era = ['--protocol-era', variant, '--format', 'json', '--method', method];
    const { status, stdout, stderr } = await runCommand([
      CLI,
      '--cli',
      server.command,
      ...server.args,
      ...era,
      ...args,
    ]);
    if (status !== expected) throw new Error(`${method} ended with status ${status}: ${stderr}`);
    return JSON.parse(stdout).result;
  };
  const call = ({ name, arguments: args }, expected) =>
    ask('tools/call', expected, '--tool-name', name, ...Object.entries(args).flatMap(toFlag));
  const { tools } = await ask('tools/list', 0);
  // A tool's error ends it with status 5.
  return { tools: tools.map(({ name }) => name), answer: await call(good, 0), error: await call(bad, 5) };
}

function toFlag([key, value]) {
  return ['--tool-arg', `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`];
}
