export { type Random, seeded } from '../scripts/random.mjs';
