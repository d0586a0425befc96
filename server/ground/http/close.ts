import type { FastifyInstance } from 'fastify'

/** Closes each connection after its answer while the server stops. A browser would keep it open, and the server running. */
export function endConnections(http: FastifyInstance): void {
  let isClosing = false
  http.addHook('preClose', async () => {
    isClosing = true
  })
  http.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
}
