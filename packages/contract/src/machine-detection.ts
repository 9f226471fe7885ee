import { type Static, Type } from 'typebox';
import { looseEnum, looseInteger } from './loose.ts';
import { httpUrl } from './primitives.ts';

/** Milliseconds from the answer to the decision at the latest (docs/interface/calls.md#machine-detection). */
export const machineDetectionTimes = { minimum: 2000, maximum: 10_000, default: 5000 } as const;

/** How the detection of answering machines is requested, for a call or a participant. */
export const machineDetectionFields = {
  machine_detection: Type.Optional(
    Type.Unsafe<string | boolean>({
      anyOf: [
        { type: 'boolean' },
        { type: 'string', pattern: '^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE]|[hH][aA][nN][gG][uU][pP])$' },
      ],
      'x-allowed': 'true, false or hangup',
      default: false,
      description:
        'true detects whether an answering machine has answered; hangup also hangs it up, with the cause 9100.',
    }),
  ),
  machine_detection_time: Type.Optional(
    looseInteger({
      ...machineDetectionTimes,
      description: 'Milliseconds from the answer; without a decision until then, a person has answered.',
    }),
  ),
  machine_detection_url: Type.Optional(
    httpUrl({ description: 'Receives the result, and the beep of a machine.' }),
  ),
  machine_detection_method: Type.Optional(
    looseEnum(['GET', 'POST'], { default: 'POST', description: 'HTTP method of machine_detection_url.' }),
  ),
};

const fieldsOnly = Type.Object(machineDetectionFields);
export type MachineDetectionBody = Static<typeof fieldsOnly>;
