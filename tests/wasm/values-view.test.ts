import { describe, expect, it } from 'vitest';
import { probeFlags } from '../../src/engine/flags.js';
import { valuesView } from '../../src/engine/wasm/values-view.js';
import { askEngine } from '../helpers/engines.js';
import { DOCUMENTS, OPTION_SETS } from '../helpers/wasm.js';

describe('the values view', () => {
  it.each(OPTION_SETS)('is what the command line prints, with %j', (options) => {
    for (const file of DOCUMENTS) {
      const ask = (view: 'report' | 'values') => askEngine([...probeFlags({ ...options, view }), '--', file]).value;
      expect(valuesView(ask('report')), file).toEqual(ask('values'));
    }
  });

  it('keeps a value that is null, and leaves out a target without one', () => {
    const report = {
      results: { a: { value: null }, b: { status: 'unknown' } },
      execution: { unresolved_targets: ['b'] },
    };
    expect(valuesView(report)).toMatchObject({ values: { a: null }, unresolved_targets: ['b'], piggyback_targets: [] });
  });
});
