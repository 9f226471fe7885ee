import { WebSocket } from 'ws';

/** A frame of either dialect, or an event of the model. */
// biome-ignore lint/suspicious/noExplicitAny: messages of other programs
type Message = any;

/** What a serializer of a pipeline knows about a dialect: how audio goes out, and how playing stops. */
interface Serializer {
  readonly play: (payload: string) => object;
  readonly clear: () => object;
}

/**
 * A pipeline between a call and a realtime model, without any library. As pipecat does, it looks at the first two messages, takes the
 * dialect from the `start` that is one of them, and writes no checkpoint. µ-law at 8,000 Hz goes both ways.
 */
export function bridge(call: WebSocket, modelUrl: string): void {
  const model = new WebSocket(modelUrl);
  let serializer: Serializer | undefined;
  const toModel = (type: string, more: object): void => {
    if (model.readyState === WebSocket.OPEN) model.send(JSON.stringify({ type, ...more }));
  };
  model.on('open', () =>
    toModel('session.update', {
      session: {
        type: 'realtime',
        audio: { input: { format: { type: 'audio/pcmu' } }, output: { format: { type: 'audio/pcmu' } } },
      },
    }),
  );
  model.on('message', (data) => {
    const event: Message = JSON.parse(String(data));
    if (serializer === undefined) return;
    if (event.type === 'response.output_audio.delta') call.send(JSON.stringify(serializer.play(event.delta)));
    // The caller speaks: what waits to be played is dropped.
    if (event.type === 'input_audio_buffer.speech_started') call.send(JSON.stringify(serializer.clear()));
  });
  call.on('message', (data) => {
    const frame: Message = JSON.parse(String(data));
    if (frame.event === 'start') serializer = serializerOf(frame.start);
    if (frame.event === 'media') toModel('input_audio_buffer.append', { audio: frame.media.payload });
    if (frame.event === 'dtmf') {
      const content = [{ type: 'input_text', text: `The caller pressed ${frame.dtmf.digit}.` }];
      toModel('conversation.item.create', { item: { type: 'message', role: 'user', content } });
    }
  });
  call.on('close', () => model.close());
  model.on('close', () => call.close(1000));
  model.on('error', () => call.close(1000));
}

function serializerOf(start: Message): Serializer {
  const { streamSid, streamId } = start;
  if (streamSid !== undefined) {
    return {
      play: (payload) => ({ event: 'media', streamSid, media: { payload } }),
      clear: () => ({ event: 'clear', streamSid }),
    };
  }
  const format = { contentType: 'audio/x-mulaw', sampleRate: 8000 };
  return {
    play: (payload) => ({ event: 'playAudio', streamId, media: { ...format, payload } }),
    clear: () => ({ event: 'clearAudio', streamId }),
  };
}
