import { type TProperties, Type } from 'typebox';
import { recordingErrorCodes } from '../fault-codes.ts';
import { codeField, field, numberField, uuidField } from './webhook.ts';

/** Of a recording of a call. */
export const recorded = {
  RecordUrl: field('Where the file is; the credentials of the account open it.'),
  RecordingID: uuidField('recording_id.'),
  RecordingDuration: numberField('Seconds; -1 while it runs.', '12'),
  RecordingDurationMs: numberField('Milliseconds; -1 while it runs.', '12040'),
  RecordingStartMs: numberField('Milliseconds since 1970; -1 while it runs.', '1769940000000'),
  RecordingEndMs: numberField('Milliseconds since 1970; -1 while it runs.', '1769940012040'),
} satisfies TProperties;

/** Of a recording that failed. */
export const recordingFault = {
  RecordingError: Type.Optional(field('Why there is no complete file, as a sentence.')),
  RecordingErrorCode: Type.Optional(codeField(recordingErrorCodes, 'RecordingError as a code.')),
} satisfies TProperties;
