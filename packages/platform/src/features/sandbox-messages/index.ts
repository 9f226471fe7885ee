export { sandboxMessagesTable } from './migrations/0001-sandbox-messages.ts';
export {
  createSandboxMessages,
  type SandboxMessagesDeps,
  type SandboxMessagesFeature,
} from './sandbox-messages.ts';
