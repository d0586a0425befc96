import type { FastifyInstance } from 'fastify'

/** A browser would keep the connection open, and the server running. */
export function endConnections(http: FastifyInstance): void {
  let isClosing = false
  http.addHook('preClose', async () => {
    isClosing = true
  })
  http.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
}
