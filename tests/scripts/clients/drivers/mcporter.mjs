// mcporter, a command line that agents use. It prints the answer in the format that the variant names, or in its own.
import { runCommand } from './steps.mjs';

const CLI = 'node_modules/mcporter/dist/cli.js';

export default async function run({ server, good, bad, variant }) {
  const connect = [
    '--stdio',
    server.command,
    ...server.args.flatMap((arg) => ['--stdio-arg', arg]),
    '--name',
    'deckprobe',
  ];
  const ask = async (...args) => {
    const { stdout, stderr } = await runCommand([CLI, ...args]);
    if (stdout === '') throw new Error(`${args[0]} printed nothing: ${stderr}`);
    return stdout;
  };
  const format = variant ? ['--output', variant] : [];
  const call = ({ name, arguments: args }) => ask('call', ...connect, ...format, '--args', JSON.stringify(args), name);
  const { tools } = JSON.parse(await ask('list', ...connect, '--json'));
  return { tools: tools.map(({ name }) => name), answer: await call(good), error: await call(bad) };
}
