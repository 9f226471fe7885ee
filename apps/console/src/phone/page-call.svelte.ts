import type { Call, CallEnd, CallPhase, QualitySample, QualityWarning } from '@jackfield/voice-sdk';

/** A call of the page's phone, as the screen shows it. */
export class PageCall {
  readonly call: Call;
  phase = $state<CallPhase>('calling');
  id = $state('');
  isMuted = $state(false);
  isHeld = $state(false);
  end = $state('');
  quality = $state.raw<QualitySample | undefined>(undefined);
  warnings = $state.raw<readonly QualityWarning[]>([]);
  isAudioBlocked = $state(false);

  readonly #unlock: () => Promise<void>;

  /** `unlock` plays what the browser has blocked, during a click. */
  constructor(call: Call, unlock: () => Promise<void>) {
    this.call = call;
    this.#unlock = unlock;
    this.#read();
    for (const event of ['ringing', 'accepted', 'reconnecting', 'reconnected', 'muted', 'held'] as const) {
      call.on(event, () => this.#read());
    }
    call.on('quality', (sample) => {
      this.quality = sample;
    });
    call.on('warning', () => {
      this.warnings = call.warnings;
    });
    call.on('audio-blocked', () => {
      this.isAudioBlocked = true;
    });
    call.on('ended', (end) => {
      this.#read();
      this.end = sentenceOfEnd(end);
    });
  }

  async playSound(): Promise<void> {
    await this.#unlock();
    this.isAudioBlocked = false;
  }

  #read(): void {
    this.phase = this.call.state;
    this.id = this.call.id ?? '';
    this.isMuted = this.call.isMuted;
    this.isHeld = this.call.isHeld;
  }
}

function sentenceOfEnd({ by, status, reason }: CallEnd): string {
  return [by, status, reason].filter((each) => each !== undefined && each !== '').join(' ');
}
