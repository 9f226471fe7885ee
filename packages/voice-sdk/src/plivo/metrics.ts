import type { QualityWarning } from '../quality/quality-warnings.ts';
import type { MediaMetric } from './options.ts';

const metrics: Readonly<Record<QualityWarning, Pick<MediaMetric, 'group' | 'type' | 'desc' | 'stream'>>> = {
  'high-loss': { group: 'network', type: 'high_packetloss', desc: 'packets are lost', stream: 'remote' },
  'high-jitter': {
    group: 'network',
    type: 'high_jitter',
    desc: 'packets arrive irregularly',
    stream: 'remote',
  },
  'high-rtt': { group: 'network', type: 'high_rtt', desc: 'the round trip is long', stream: 'none' },
  'low-mos': { group: 'network', type: 'low_mos', desc: 'the audio is bad', stream: 'none' },
  'low-microphone': { group: 'audio', type: 'no_audio_received', desc: 'local_audio', stream: 'local' },
  'no-audio-received': { group: 'audio', type: 'no_audio_received', desc: 'remote_audio', stream: 'remote' },
};

/** A warning of a call as the hosted SDK reports it; the values stand in the samples of the call. */
export function metricOf(warning: QualityWarning, isActive: boolean): MediaMetric {
  return { ...metrics[warning], level: 'warning', active: isActive, value: 0 };
}
