import type { JsonObject } from '../types.js';

/** The parts of a full report that its values view is made of. */
interface FullReport extends JsonObject {
  readonly results: Readonly<Record<string, JsonObject>>;
  readonly execution: { readonly unresolved_targets: unknown; readonly piggyback_targets?: unknown };
}

/**
 * The values view of a full report, field for field as the command line prints it; the SDK has none. A target has a
 * value when its evidence has one, null included. An error envelope is its own view.
 */
export function valuesView(report: JsonObject): JsonObject {
  if (!isFullReport(report)) return report;
  const { schema_version, tool_version, status, input, driver, diagnostics, results, execution } = report;
  const resolved = Object.entries(results).filter(([, evidence]) => 'value' in evidence);
  return {
    schema_version,
    tool_version,
    status,
    view: 'values',
    input,
    driver,
    values: Object.fromEntries(resolved.map(([target, { value }]) => [target, value])),
    unresolved_targets: execution.unresolved_targets,
    piggyback_targets: execution.piggyback_targets ?? [],
    diagnostics,
  };
}

function isFullReport(report: JsonObject): report is FullReport {
  return typeof report.results === 'object' && typeof report.execution === 'object';
}
