// Without zod: the service worker stays small.

/** Names no sender. All have one length. */
export interface PushNews {
  kind: 'message'
}

/** Each replaces the one before. */
export const PUSHED = { tag: 'conclave-pushed', title: 'New message' } as const
