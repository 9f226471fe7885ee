import {
  callLegs,
  liveCallPath,
  newCallDigits,
  newCallPlay,
  newCallRecording,
  newCallSpeech,
  readOneOf,
  sentDigits,
  startedCallRecording,
  startedPlay,
  startedSpeech,
  stoppedCallRecording,
} from '@jackfield/contract';
import { type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import type { CallActionCommands, Legs } from './commands.ts';
import { readPlay, readRecording, readSpeech } from './parameters.ts';

export function callActionRoutes(commands: CallActionCommands): RouteGroup {
  const play = route({
    method: 'POST',
    path: 'Call/:call_uuid/Play/',
    operation: 'Play audio files to a live call',
    id: 'playToCall',
    description:
      'One play at a time: a new one replaces the one before. What cannot be played is told in the live feed.',
    schema: { params: liveCallPath, body: newCallPlay, response: startedPlay },
    success: 202,
    async run({ account, params, body }) {
      const wish = readPlay(body);
      if (!wish.ok) return wish;
      const begun = await commands.begin(account, params.call_uuid, legsOf(body.legs), 'play', wish.value);
      return begun.ok ? accepted({ message: 'play started' }) : begun;
    },
  });

  const stopPlay = route({
    method: 'DELETE',
    path: 'Call/:call_uuid/Play/',
    operation: 'Stop playing to a live call',
    id: 'stopPlayingToCall',
    schema: { params: liveCallPath },
    success: 204,
    run: ({ account, params }) => commands.end(account, params.call_uuid, 'play'),
  });

  const speak = route({
    method: 'POST',
    path: 'Call/:call_uuid/Speak/',
    operation: 'Speak a text to a live call',
    id: 'speakToCall',
    description: 'One text at a time: a new one replaces the one before.',
    schema: { params: liveCallPath, body: newCallSpeech, response: startedSpeech },
    success: 202,
    async run({ account, params, body }) {
      const wish = readSpeech(body);
      if (!wish.ok) return wish;
      const begun = await commands.begin(account, params.call_uuid, legsOf(body.legs), 'speech', wish.value);
      return begun.ok ? accepted({ message: 'speak started' }) : begun;
    },
  });

  const stopSpeaking = route({
    method: 'DELETE',
    path: 'Call/:call_uuid/Speak/',
    operation: 'Stop speaking to a live call',
    id: 'stopSpeakingToCall',
    schema: { params: liveCallPath },
    success: 204,
    run: ({ account, params }) => commands.end(account, params.call_uuid, 'speech'),
  });

  const record = route({
    method: 'POST',
    path: 'Call/:call_uuid/Record/',
    operation: 'Record a live call',
    id: 'recordCall',
    schema: { params: liveCallPath, body: newCallRecording, response: startedCallRecording },
    success: 202,
    async run({ account, params, body }) {
      const started = await commands.record(account, params.call_uuid, readRecording(body));
      if (!started.ok) return started;
      const { recording, url } = started.value;
      return accepted({ message: 'call recording started', recording_id: recording, url });
    },
  });

  const stopRecording = route({
    method: 'DELETE',
    path: 'Call/:call_uuid/Record/',
    operation: 'Stop the recordings of a live call that this API has started, or one of them',
    id: 'stopCallRecordings',
    schema: { params: liveCallPath, query: stoppedCallRecording },
    success: 204,
    run: ({ account, params, query }) =>
      commands.endRecordings(
        account,
        params.call_uuid,
        query.recording_id?.toLowerCase() ?? query.URL ?? query.url ?? null,
      ),
  });

  const digits = route({
    method: 'POST',
    path: 'Call/:call_uuid/DTMF/',
    operation: 'Send digits to a live call',
    id: 'sendDigits',
    schema: { params: liveCallPath, body: newCallDigits, response: sentDigits },
    success: 202,
    async run({ account, params, body }) {
      const sent = commands.sendDigits(account, params.call_uuid, legsOf(body.leg), String(body.digits));
      return sent.ok ? accepted({ message: 'digits sent' }) : sent;
    },
  });

  return {
    name: 'Live calls',
    description: 'What is done to a call while it goes on: play, speak, record, send digits.',
    routes: [play, stopPlay, speak, stopSpeaking, record, stopRecording, digits],
  };
}

function legsOf(value: string | undefined): Legs {
  return readOneOf(callLegs, value) ?? 'aleg';
}
