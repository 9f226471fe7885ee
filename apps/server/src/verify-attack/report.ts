import type { AppSettings } from './settings.ts';

/** The result of one attack. */
export interface Finding {
  readonly attack: string;
  readonly seen: string;
  /** The defence held. */
  readonly holds: boolean;
}

export function printReport(settings: AppSettings, findings: readonly Finding[]): string {
  const { codeLength, codeExpiryMinutes, maxValidations, fraudShield, sendsPerHour } = settings;
  const width = Math.max(...findings.map(({ attack }) => attack.length));
  const lines = findings.map(
    ({ attack, seen, holds }) => `${holds ? 'held  ' : 'BROKEN'}  ${attack.padEnd(width)}  ${seen}`,
  );
  const broken = findings.filter(({ holds }) => !holds).length;
  return [
    `Settings: codes of ${codeLength} digits that live ${codeExpiryMinutes} minutes and are checked ${maxValidations} times; ` +
      `${sendsPerHour} sends to a recipient an hour; fraud shield ${fraudShield}.`,
    '',
    ...lines,
    '',
    broken === 0 ? 'All defences held.' : `Defences broken: ${broken}.`,
    '',
  ].join('\n');
}
