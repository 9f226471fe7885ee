import { type Static, type TUnsafe, Type } from 'typebox';
import { apiId, messageBody } from './envelopes.ts';
import { type Described, looseBoolean, looseEnum, looseInteger } from './loose.ts';
import { httpUrl, pathId, text } from './primitives.ts';
import { transcriptionFields } from './transcripts.ts';

export const liveCallPath = Type.Object({
  call_uuid: pathId({ description: 'call_uuid of a live call.' }),
});

export const callLegs = ['aleg', 'bleg', 'both'] as const;

/** Sounds in one request. */
export const maxPlayUrls = 20;

const legs = Type.Optional(
  looseEnum(callLegs, {
    default: 'aleg',
    description: 'Who hears it: aleg is the call of the path, bleg the other party of it.',
  }),
);

const loop = Type.Optional(
  looseBoolean({ default: false, description: 'Whether it is repeated until it is stopped.' }),
);

const mix = Type.Optional(
  looseBoolean({ default: true, description: 'false: nothing else of the call is heard meanwhile.' }),
);

const voice = 'WOMAN, MAN or a name such as Polly.Amy';

/** Which URLs it holds, only its reader knows: commas may stand in a URL. */
function urlList(options: Described): TUnsafe<string | readonly string[]> {
  return Type.Unsafe<string | readonly string[]>({
    anyOf: [
      { type: 'string', minLength: 1, maxLength: maxPlayUrls * 2050 },
      {
        type: 'array',
        minItems: 1,
        maxItems: maxPlayUrls,
        items: { type: 'string', minLength: 1, maxLength: 2048 },
      },
    ],
    'x-allowed': `one URL of an MP3 or WAV file, or several (at most ${maxPlayUrls}) separated by commas`,
    ...options,
  });
}

export const newCallPlay = Type.Object({
  urls: urlList({ description: 'MP3 or WAV files of at most 10 MB, played one after another.' }),
  length: Type.Optional(
    looseInteger({ minimum: 1, maximum: 86_400, description: 'Seconds after which it ends in any case.' }),
  ),
  legs,
  loop,
  mix,
});
export type NewCallPlay = Static<typeof newCallPlay>;

export const newCallSpeech = Type.Object({
  text: Type.Unsafe<string>({
    type: 'string',
    minLength: 1,
    maxLength: 3000,
    // Neither NUL nor halves of surrogate pairs; line ends are what people write.
    pattern: '^[^\\0\\p{Cs}]*$',
    'x-allowed': 'a text of 1 to 3000 characters',
    description: 'What is said.',
  }),
  voice: Type.Optional(
    text({
      maxLength: 50,
      pattern: '^(?:[wW][oO][mM][aA][nN]|[mM][aA][nN]|[pP][oO][lL][lL][yY]\\.[A-Za-z0-9-]{1,40})$',
      allowed: voice,
      description: `${voice}: each becomes a woman or a man.`,
    }),
  ),
  language: Type.Optional(
    text({
      maxLength: 35,
      pattern: '^[A-Za-z0-9_-]+$',
      allowed: 'a language tag such as en-US',
      description: 'A language that the speech engine offers.',
    }),
  ),
  type: Type.Optional(
    looseEnum(['text', 'ssml'], {
      default: 'text',
      description:
        'ssml: markup is followed as inside <Speak> (docs/reference/speech.md#markup); the root <speak> may be left out.',
    }),
  ),
  legs,
  loop,
  mix,
});
export type NewCallSpeech = Static<typeof newCallSpeech>;

export const newCallRecording = Type.Object({
  time_limit: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: 86_400,
      default: 60,
      description: 'Seconds after which it ends.',
    }),
  ),
  file_format: Type.Optional(looseEnum(['mp3', 'wav'], { default: 'mp3', description: 'Of the file.' })),
  record_channel_type: Type.Optional(
    looseEnum(['mono', 'stereo'], {
      default: 'stereo',
      description: 'stereo: left what the call says, right what it hears.',
    }),
  ),
  callback_url: Type.Optional(httpUrl({ description: 'Receives a request when the recording is ready.' })),
  callback_method: Type.Optional(
    looseEnum(['GET', 'POST'], { default: 'POST', description: 'HTTP method of callback_url.' }),
  ),
  transcription_type: Type.Optional(
    looseEnum(['auto', 'hybrid'], {
      description:
        'Asks for a transcript, as transcription_url does; hybrid is the same as auto: no people take part.',
    }),
  ),
  ...transcriptionFields,
});
export type NewCallRecording = Static<typeof newCallRecording>;

export const startedCallRecording = Type.Object({
  api_id: apiId,
  message: Type.String({ examples: ['call recording started'] }),
  recording_id: Type.String({ format: 'uuid' }),
  url: Type.String({ description: 'Where the file will be.' }),
});

const whichRecording = (what: string) =>
  Type.Optional(
    text({ maxLength: 2048, description: `${what} of the one to stop; all of the call when left out.` }),
  );

/** Clients of the hosted service write the name of the first in capitals. */
export const stoppedCallRecording = Type.Object({
  URL: whichRecording('URL'),
  url: whichRecording('URL'),
  recording_id: whichRecording('recording_id'),
});

export const newCallDigits = Type.Object({
  digits: Type.Unsafe<string | number>({
    anyOf: [
      { type: 'string', pattern: '^[0-9*#wW]{1,100}$' },
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    ],
    'x-allowed': '1 to 100 of the keys 0 to 9, *, # and the pauses w (0.5 s) and W (1 s)',
    description: 'Keys that are pressed one after another.',
  }),
  leg: Type.Optional(
    looseEnum(callLegs, { default: 'aleg', description: 'To whom they are sent; as `legs` elsewhere.' }),
  ),
});

export const startedPlay = messageBody('play started');
export const startedSpeech = messageBody('speak started');
export const sentDigits = messageBody('digits sent');

/** Voices with men's names among those that the hosted service sells; every other one is a woman here. */
const menOfPolly: ReadonlySet<string> = new Set(
  (
    'adriano andres arthur brian cristiano daniel enrique geraint giorgio gregory hans isaac jacek jan jasper joey justin ' +
    'karl kevin liam mads mathieu matthew maxim miguel patrick pedro remi ricardo ruben russell sergio stephen takumi ' +
    'thiago zayd'
  ).split(' '),
);

/** Which of the two voices of the speech engine speaks for the requested voice; `voice` accepts the name. */
export function readVoice(name: string): 'woman' | 'man' {
  const [first, own] = name.toLowerCase().split('.');
  if (first !== 'polly' || own === undefined) return first === 'man' ? 'man' : 'woman';
  return menOfPolly.has(own.replace(/-(?:neural|generative|long-form)$/, '')) ? 'man' : 'woman';
}
