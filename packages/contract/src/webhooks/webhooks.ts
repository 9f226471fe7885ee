import { callWebhooks } from './call-webhooks.ts';
import { multipartyWebhooks } from './multiparty-webhooks.ts';
import { streamWebhooks, verifyWebhooks } from './other-webhooks.ts';
import type { Webhook } from './webhook.ts';

/** Every signed request that the platform sends to URLs of customers, in the order of the documentation. */
export const webhooks: readonly Webhook[] = [
  ...callWebhooks,
  ...multipartyWebhooks,
  ...streamWebhooks,
  ...verifyWebhooks,
];
