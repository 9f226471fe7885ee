import { type Static, Type } from 'typebox';
import { codesOf, type FrameRefusalCode, frameRefusalCodes } from './fault-codes.ts';

const uuid = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', description });
const sequenceNumber = Type.Integer({
  minimum: 1,
  description: 'Counts all frames of the stream from 1 on, over its connections as well.',
});
const streamId = uuid('The stream.');
const extraHeaders = Type.String({
  description: 'As it was ordered: pairs joined by ";"; empty when there is none.',
});
const milliseconds = (description: string) => Type.String({ pattern: '^[0-9]+$', description });
const base64 = (description: string) => Type.String({ contentEncoding: 'base64', description });
const track = Type.String({
  minLength: 1,
  description:
    'inbound (what the caller says), outbound (what the caller hears), or the member_id of a participant.',
});

const startFrame = Type.Object(
  {
    event: Type.Literal('start'),
    sequenceNumber,
    start: Type.Object({
      callId: uuid('The call; of a whole multiparty call the first one.'),
      streamId,
      accountId: Type.String(),
      tracks: Type.Array(track),
      mediaFormat: Type.Object({
        encoding: Type.Union([Type.Literal('audio/x-l16'), Type.Literal('audio/x-mulaw')]),
        sampleRate: Type.Union([Type.Literal(8000), Type.Literal(16_000), Type.Literal(24_000)]),
      }),
      resumed: Type.Optional(Type.Literal(true, { description: 'The connection was lost and is back.' })),
    }),
    extra_headers: extraHeaders,
  },
  { title: 'start', description: 'Always the first frame of a connection.' },
);

const mediaFrame = Type.Object(
  {
    event: Type.Literal('media'),
    sequenceNumber,
    streamId,
    media: Type.Object({
      track,
      timestamp: milliseconds('When the audio was said, in ms since the epoch; all tracks have one clock.'),
      chunk: Type.Integer({
        minimum: 1,
        description: 'Counts the frames of the track; a gap is audio that was dropped.',
      }),
      payload: base64('20 ms of audio: 16-bit little-endian samples, or µ-law.'),
    }),
    extra_headers: extraHeaders,
  },
  { title: 'media' },
);

const dtmfFrame = Type.Object(
  {
    event: Type.Literal('dtmf'),
    sequenceNumber,
    streamId,
    dtmf: Type.Object({
      track,
      digit: Type.String({ pattern: '^[0-9*#A-D]$' }),
      timestamp: milliseconds('When the key was pressed.'),
    }),
    extra_headers: extraHeaders,
  },
  { title: 'dtmf' },
);

const speechFrame = Type.Object(
  {
    event: Type.Literal('speech'),
    sequenceNumber,
    streamId,
    speech: Type.Object({
      track,
      state: Type.Union([Type.Literal('start'), Type.Literal('stop')]),
      timestamp: milliseconds('The frame of audio in which it was decided, on the clock of media frames.'),
    }),
    extra_headers: extraHeaders,
  },
  { title: 'speech', description: 'Speech on a track begins, or is over; with voice_activity.' },
);

const playedStreamFrame = Type.Object(
  { event: Type.Literal('playedStream'), sequenceNumber, streamId, name: Type.String() },
  { title: 'playedStream', description: 'The last sample in front of the checkpoint has left.' },
);

const clearedAudioFrame = Type.Object(
  { event: Type.Literal('clearedAudio'), sequenceNumber, streamId },
  {
    title: 'clearedAudio',
    description: 'Nothing waits to be played any more; checkpoints that waited are dropped.',
  },
);

const playFailedFrame = Type.Object(
  {
    event: Type.Literal('playFailed'),
    sequenceNumber,
    streamId,
    reason: Type.String(),
    reasonCode: Type.Unsafe<FrameRefusalCode>({
      type: 'string',
      enum: [...codesOf(frameRefusalCodes)],
      description: 'The reason as a code of docs/reference/errors.md.',
    }),
  },
  {
    title: 'playFailed',
    description: 'A frame of the application could not be used; the reason is a sentence.',
  },
);

const stopFrame = Type.Object(
  {
    event: Type.Literal('stop'),
    sequenceNumber,
    streamId,
    stop: Type.Object({ callId: Type.String(), reason: Type.String() }),
  },
  { title: 'stop', description: 'The last frame; the connection is closed with 1000 behind it.' },
);

/** What the platform says. */
export const platformFrame = Type.Union([
  startFrame,
  mediaFrame,
  dtmfFrame,
  speechFrame,
  playedStreamFrame,
  clearedAudioFrame,
  playFailedFrame,
  stopFrame,
]);
export type PlatformFrame = Static<typeof platformFrame>;

const ownStream = Type.Optional(uuid('May be left out; where it is there it must be the one of the stream.'));

const playAudioFrame = Type.Object(
  {
    event: Type.Literal('playAudio'),
    streamId: ownStream,
    media: Type.Object({
      contentType: Type.Optional(
        Type.String({
          description: 'audio/x-l16, audio/x-mulaw, audio/wav or raw; that of the stream when left out.',
        }),
      ),
      sampleRate: Type.Optional(
        Type.Union(
          [Type.Integer({ minimum: 8000, maximum: 48_000 }), Type.String({ pattern: '^ *[0-9]{4,5} *$' })],
          { description: '8000–48000; that of the stream when left out. It is resampled.' },
        ),
      ),
      payload: base64('Audio of any length; half a sample at its end is kept for the next frame.'),
    }),
  },
  { title: 'playAudio' },
);

const checkpointFrame = Type.Object(
  {
    event: Type.Literal('checkpoint'),
    streamId: ownStream,
    name: Type.String({ minLength: 1, maxLength: 1024 }),
  },
  { title: 'checkpoint', description: 'Answered by playedStream when all audio in front of it was played.' },
);

const clearAudioFrame = Type.Object(
  { event: Type.Literal('clearAudio'), streamId: ownStream },
  { title: 'clearAudio', description: 'Silence within 20 ms, and clearedAudio.' },
);

const sendDtmfFrame = Type.Object(
  {
    event: Type.Literal('sendDTMF'),
    streamId: ownStream,
    dtmf: Type.String({
      pattern: '^[0-9*#A-Da-dwW]{1,64}$',
      description: 'Keys that are pressed towards the call; w waits 0.5 s, W 1 s.',
    }),
  },
  { title: 'sendDTMF' },
);

const endFrame = Type.Object(
  { event: Type.Literal('stop'), streamId: ownStream },
  { title: 'stop', description: 'Ends the stream as a close with 1000 does.' },
);

/** What an application says. */
export const applicationFrame = Type.Union([
  playAudioFrame,
  checkpointFrame,
  clearAudioFrame,
  sendDtmfFrame,
  endFrame,
]);
export type ApplicationFrame = Static<typeof applicationFrame>;
