// Puts the bundled programs in the place of those that tsc has written into dist, and the licences of what they contain.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { licensesOf } from './bundling/licenses.mjs';
import { bundleProgram, PROJECT } from './bundling/programs.mjs';

const dist = path.join(PROJECT, 'dist');
const sources = await bundleProgram('main', dist);
writeFileSync(path.join(dist, 'THIRD_PARTY_LICENSES'), licensesOf(sources));
