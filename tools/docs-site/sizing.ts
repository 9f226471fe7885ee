/** What one machine should carry. */
export interface Load {
  /** Participants and legs with G.711 at the same time: phones, carriers. */
  readonly phones: number;
  /** Browsers at the same time that are mixed, recorded or connected with phones. */
  readonly browsers: number;
  /** Two-way audio streams at the same time. */
  readonly streams: number;
  readonly callsPerSecond: number;
  readonly callbacksPerSecond: number;
  readonly registrations: number;
  /** How often each phone registers again. */
  readonly registerSeconds: number;
}

/** Figures of docs/benchmarks.md for one core, the lower ends: what was carried without a late frame, and operations a second. */
export const perCore = {
  phones: 525,
  browsers: 60,
  streams: 200,
  calls: 636,
  callbacks: 2844,
  registers: 15_779,
};

/** In MiB: the idle process, the speech engine, the decoder of sounds, and one live thing of each kind. */
const memory = {
  idle: 190,
  speech: 160,
  sounds: 250,
  phone: 90 / 1024,
  browser: 1000 / 1024,
  registration: 6.4 / 1024,
};

/** G.711 every 20 ms: 160 bytes, and 40 of RTP, UDP and IPv4, in kbit/s for each direction. */
const kbitPerLeg = 80;

export interface Size {
  readonly mediaThreads: number;
  readonly cores: number;
  readonly memoryMib: number;
  /** Each direction. */
  readonly mbitPerSecond: number;
  /** UDP ports of media: two for each phone, one port for all browsers. */
  readonly udpPorts: number;
}

/** Half of each core stays free: rates follow the machine, and a busy core makes audio late long before it is full. */
export function sizeOf(load: Load): Size {
  const media =
    load.phones / perCore.phones + load.browsers / perCore.browsers + load.streams / perCore.streams;
  const control =
    load.callsPerSecond / perCore.calls +
    load.callbacksPerSecond / perCore.callbacks +
    load.registrations / load.registerSeconds / perCore.registers;
  const mediaThreads = Math.max(1, Math.ceil(media * 2));
  const live =
    load.phones * memory.phone + load.browsers * memory.browser + load.registrations * memory.registration;
  return {
    mediaThreads,
    cores: mediaThreads + Math.max(1, Math.ceil(control * 2)),
    memoryMib: Math.ceil(memory.idle + memory.speech + memory.sounds + 2 * live),
    mbitPerSecond: Math.ceil(((load.phones + load.browsers) * kbitPerLeg) / 1000),
    udpPorts: 2 * load.phones,
  };
}
