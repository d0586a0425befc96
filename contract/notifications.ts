import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { nothing } from './shapes.ts'

export const notificationsApi = {
  unreadCount: endpoint({
    method: 'GET',
    path: '/api/notifications/unread-count',
    access: 'signed_in',
    summary: 'How many messages wait unread in accepted chats. Answers an ETag.',
    input: nothing,
    output: z.object({ count: z.number().int().nonnegative() }),
  }),
}
