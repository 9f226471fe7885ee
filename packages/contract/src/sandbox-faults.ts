import { type Static, Type } from 'typebox';
import { apiId } from './envelopes.ts';
import { looseEnum, looseInteger } from './loose.ts';
import { pathId } from './primitives.ts';

/** Faults of the simulated public network, by the names that `@jackfield/testing` has for them. */
export const sandboxFaultNames = ['carrier-busy', 'codec-loss', 'receiver-down', 'sms-late'] as const;
export type SandboxFaultName = (typeof sandboxFaultNames)[number];

export const defaultLateSeconds = 10;
const maxFaultSeconds = 86_400;
const maxLateSeconds = 600;

export const newSandboxFault = Type.Object({
  name: looseEnum(sandboxFaultNames, {
    description: [
      '- `carrier-busy`: calls to the phones of the sandbox are refused with 503',
      '- `codec-loss`: the phones share no codec with the platform: 488',
      '- `receiver-down`: requests to your program do not reach it',
      '- `sms-late`: messages arrive `late_seconds` late',
    ].join('\n'),
  }),
  seconds: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: maxFaultSeconds,
      description:
        'The fault ends by itself after so many seconds; it stays until it is ended when left out.',
    }),
  ),
  late_seconds: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: maxLateSeconds,
      default: defaultLateSeconds,
      description: 'Of sms-late: how late messages arrive.',
    }),
  ),
});
export type NewSandboxFault = Static<typeof newSandboxFault>;

export const sandboxFaultPath = Type.Object({
  fault: pathId({ description: `One of ${sandboxFaultNames.join(', ')}.` }),
});

export const sandboxFault = Type.Object(
  {
    name: Type.Unsafe<SandboxFaultName>({ type: 'string', enum: [...sandboxFaultNames] }),
    is_on: Type.Boolean(),
    ends_at: Type.Union([Type.String(), Type.Null()], {
      description: 'null while it is off, and where it stays until it is ended.',
      examples: ['2026-02-01T10:01:00.000Z'],
    }),
    late_seconds: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Of sms-late while it is on; otherwise null.',
    }),
  },
  { title: 'Sandbox fault' },
);
export type SandboxFaultItem = Static<typeof sandboxFault>;
export const sandboxFaultBody = Type.Object({ api_id: apiId, ...sandboxFault.properties });
/** All of them, on or off. */
export const sandboxFaultList = Type.Object({ api_id: apiId, objects: Type.Array(sandboxFault) });
