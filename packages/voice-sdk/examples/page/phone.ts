import { type Call, Phone } from '@jackfield/voice-sdk';
import { noiseSuppression } from '@jackfield/voice-sdk/noise-suppression';

/** The page of `npm run example phone`: one phone, one call at a time. */
const account = (await (await fetch('/account')).json()) as {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly domain: string;
};
const suppress = noiseSuppression({ worklet: '/rnnoise-worklet.js', wasm: '/rnnoise.wasm' });
/** Each call begins with what the box says then. */
const processors = [
  (microphone: MediaStream) =>
    element<HTMLInputElement>('suppress').checked ? suppress(microphone) : microphone,
];
const phone = new Phone({ ...account, audio: { processors } });
let call: Call | undefined;

function element<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

function report(sentence: string): void {
  const line = document.createElement('li');
  line.textContent = sentence;
  element('log').append(line);
}

function show(): void {
  element<HTMLFieldSetElement>('call').disabled = call === undefined;
  element('peer').textContent = call === undefined ? '' : `${call.peer.number}: ${call.state}`;
  element('accept').hidden = call?.state !== 'incoming';
  element('mute').ariaPressed = String(call?.isMuted ?? false);
  element('hold').ariaPressed = String(call?.isHeld ?? false);
  if (call === undefined) element('quality').textContent = '';
}

function follow(next: Call): void {
  call = next;
  for (const event of ['ringing', 'accepted', 'connected', 'reconnecting', 'reconnected'] as const)
    next.on(event, () => {
      report(`The call is ${event}.`);
      show();
    });
  for (const event of ['muted', 'held'] as const) next.on(event, show);
  next.on('warning', ({ warning, isActive }) => report(`${warning} ${isActive ? 'began' : 'ended'}.`));
  next.on('quality', ({ mos, lossPercent, roundTripMs }) => {
    const score = mos === undefined ? 'no audio' : `score ${mos.toFixed(1)}`;
    element('quality').textContent = `${score}, loss ${lossPercent} %, round trip ${roundTripMs ?? '?'} ms`;
  });
  next.on('audio-blocked', () =>
    document.addEventListener('click', () => void phone.unlockAudio(), { once: true }),
  );
  next.on('ended', ({ by, status }) => {
    report(`The call has ended: ${by}${status === undefined ? '' : ` ${status}`}.`);
    if (call === next) call = undefined;
    show();
  });
  show();
}

element('username').textContent = account.username;
phone.on('state', (state) => {
  element('state').textContent = state;
});
phone.on('failed', ({ message }) => report(message));
phone.on('incoming', (incoming) => {
  report(`${incoming.peer.number} calls.`);
  if (call === undefined) follow(incoming);
  else incoming.reject();
});
element<HTMLFormElement>('dial').addEventListener('submit', (event) => {
  event.preventDefault();
  if (call === undefined) follow(phone.call(element<HTMLInputElement>('to').value));
});
element('accept').addEventListener('click', () => call?.accept());
element('hang-up').addEventListener('click', () => {
  if (call?.state === 'incoming') call.reject();
  else call?.hangUp();
});
element('mute').addEventListener('click', () => call?.mute(!call.isMuted));
element('hold').addEventListener('click', () => call?.hold(!call.isHeld));
element<HTMLInputElement>('digits').addEventListener('input', ({ target }) => {
  const input = target as HTMLInputElement;
  if (/^[0-9*#]+$/.test(input.value) && call?.state === 'active') call.sendDigits(input.value);
  input.value = '';
});
await phone.register().catch(() => undefined);
