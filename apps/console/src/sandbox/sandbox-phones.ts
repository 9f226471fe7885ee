import type { texts } from '../texts/en-table.ts';

/** The phones of the sandbox (docs/guides/sandbox.md). */
export const sandboxPhones: readonly {
  readonly number: string;
  readonly does: keyof typeof texts.sandbox.does;
}[] = [
  { number: '+12025550100', does: 'echoes' },
  { number: '+12025550101', does: 'talks' },
  { number: '+12025550102', does: 'busy' },
  { number: '+12025550103', does: 'unanswered' },
  { number: '+12025550104', does: 'rejects' },
  { number: '+12025550105', does: 'late' },
  { number: '+12025550106', does: 'presses' },
  { number: '+12025550107', does: 'voicemail' },
  { number: '+12025550108', does: 'leaves' },
  { number: '+12025550109', does: 'tone' },
];
