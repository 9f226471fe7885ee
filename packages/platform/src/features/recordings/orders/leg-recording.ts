import type { TranscriptRequest } from '../domain/transcript-request.ts';
import type { NewRecording } from '../public-api.ts';

/** The leg that is recorded, and the parties of its call. */
interface RecordedLeg extends Pick<NewRecording, 'account' | 'mainAccount' | 'from' | 'to'> {
  readonly leg: string;
}

interface LegRecording extends Pick<NewRecording, 'recording' | 'format' | 'tracks' | 'maxSeconds'> {
  /** The kind of session that owns it, under the leg. */
  readonly ownerKind: string;
  readonly transcript: TranscriptRequest | null;
  readonly callback: { readonly url: string; readonly method: 'GET' | 'POST' } | null;
}

/** The recording of one leg; `fields` are those of its callback besides the fields of `RecordingOver`. */
export function recordingOfLeg(
  { leg, account, mainAccount, from, to }: RecordedLeg,
  { ownerKind, transcript, callback, ...recording }: LegRecording,
  fields: Readonly<Record<string, string>>,
): NewRecording {
  return {
    ...recording,
    account,
    mainAccount,
    owner: { kind: ownerKind, id: leg },
    type: 'normal',
    callUuid: leg,
    from,
    to,
    ...(transcript === null ? {} : { transcript }),
    ...(callback === null ? {} : { callback: { ...callback, fields, resource: `call/${leg}` } }),
  };
}
