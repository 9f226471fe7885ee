import type { CallEnd } from '@jackfield/ports';

/** A leg of a Dial that has ended. */
export interface EndedLeg {
  readonly leg: string;
  readonly from: string;
  readonly to: string;
  readonly end: CallEnd | null;
}

/** docs/interface/documents.md#dial: fields of the callback about a leg of the Dial. */
export function reportOf(
  aLeg: string,
  { leg, from, to }: Omit<EndedLeg, 'end'>,
  action: string,
  status: string,
): Readonly<Record<string, string>> {
  return {
    DialAction: action,
    DialALegUUID: aLeg,
    DialBLegUUID: leg,
    DialBLegStatus: status,
    DialBLegFrom: from,
    DialBLegTo: to,
  };
}

/** The same about its end, `seconds` after its answer. */
export function endReport(aLeg: string, ended: EndedLeg, seconds: number): Readonly<Record<string, string>> {
  const { end } = ended;
  return {
    ...reportOf(aLeg, ended, 'hangup', 'hangup'),
    DialBLegDuration: String(Math.round(seconds)),
    // Seconds that have begun count, as in the records of calls.
    DialBLegBillDuration: String(Math.ceil(seconds)),
    DialBLegHangupCauseName: end?.name ?? '',
    DialBLegHangupCauseCode: String(end?.code ?? 0),
    DialBLegHangupSource: end?.source ?? 'Unknown',
  };
}
