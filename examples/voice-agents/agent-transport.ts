import type { AudioStreamEndpoint, EventInfo } from 'agent-transport';
import { WebSocket } from 'ws';

/** Samples a second towards and from the model; the endpoint converts from and to those of the call. */
export const sampleRate = 24_000;

/** Joins each stream that reaches the endpoint to a realtime model, until the endpoint is shut down. */
export async function serve(endpoint: AudioStreamEndpoint, modelUrl: string): Promise<void> {
  const models = new Map<string, WebSocket>();
  for (;;) {
    const event = await endpoint.waitForEvent(1000);
    if (event === null) continue;
    if (event.eventType === 'shutdown') break;
    const id = event.sessionId ?? event.session?.sessionId;
    if (id === undefined) continue;
    if (event.eventType === 'call_answered') models.set(id, join(endpoint, id, modelUrl));
    if (event.eventType === 'dtmf_received') pass(event, models.get(id));
    if (event.eventType === 'call_terminated') {
      models.get(id)?.close();
      models.delete(id);
    }
  }
  for (const model of models.values()) model.close();
}

function join(endpoint: AudioStreamEndpoint, id: string, modelUrl: string): WebSocket {
  const model = new WebSocket(modelUrl);
  const answers = new Answers(endpoint, id);
  model.on('open', () => {
    const format = { type: 'audio/pcm', rate: sampleRate };
    const session = { type: 'realtime', audio: { input: { format }, output: { format } } };
    model.send(JSON.stringify({ type: 'session.update', session }));
    void listen(endpoint, id, model);
  });
  model.on('message', (data) => {
    const { type, delta } = JSON.parse(String(data));
    if (type === 'response.output_audio.delta') answers.add(Buffer.from(delta, 'base64'));
    if (type === 'input_audio_buffer.speech_started') answers.drop();
  });
  const hangUp = () => ifUp(() => endpoint.hangup(id));
  model.on('close', hangUp);
  model.on('error', hangUp);
  return model;
}

/** What the model has said and the caller has not heard. The endpoint plays it at the pace of speech, and buffers little. */
class Answers {
  readonly #endpoint: AudioStreamEndpoint;
  readonly #id: string;
  #waiting: Buffer[] = [];
  #isPlaying = false;

  constructor(endpoint: AudioStreamEndpoint, id: string) {
    this.#endpoint = endpoint;
    this.#id = id;
  }

  add(audio: Buffer): void {
    this.#waiting.push(audio);
    if (!this.#isPlaying) this.#play();
  }

  /** The caller speaks: what waits is not said any more. */
  drop(): void {
    this.#waiting = [];
    ifUp(() => this.#endpoint.clearBuffer(this.#id));
  }

  readonly #play = (): void => {
    const audio = this.#waiting.shift();
    this.#isPlaying = audio !== undefined;
    if (audio === undefined) return;
    ifUp(() => this.#endpoint.sendAudioNotify(this.#id, audio, sampleRate, 1, this.#play));
  };
}

/** The endpoint refuses what is for a caller who has hung up, which may be before its event says so: undefined then. */
function ifUp<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('call not active')) return undefined;
    throw error;
  }
}

/** Hands the model what the caller says. */
async function listen(endpoint: AudioStreamEndpoint, id: string, model: WebSocket): Promise<void> {
  while (model.readyState === WebSocket.OPEN) {
    // 16 bits a sample, 20 ms; null when nothing came.
    const audio = await ifUp(() => endpoint.recvAudioBytesAsync(id, 20))?.catch(() => undefined);
    if (audio === undefined) return;
    if (audio === null || model.readyState !== WebSocket.OPEN) continue;
    model.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: audio.toString('base64') }));
  }
}

function pass({ digit }: EventInfo, model: WebSocket | undefined): void {
  const content = [{ type: 'input_text', text: `The caller pressed ${digit}.` }];
  const item = { type: 'message', role: 'user', content };
  model?.send(JSON.stringify({ type: 'conversation.item.create', item }));
}
