// Without zod: the service worker reads it, and stays small.

/** What a push says: that something came, and nothing of room or sender. All are of one length. */
export interface PushNews {
  kind: 'message'
}

/** The notification that a closed browser shows. Each replaces the one before. */
export const PUSHED = { tag: 'conclave-pushed', title: 'New message' } as const
