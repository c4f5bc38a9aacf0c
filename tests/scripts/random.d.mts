export interface Random {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** A seeded generator: the same seed gives the same run. */
export function seeded(seed: number): Random;
