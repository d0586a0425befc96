import { EventEmitter, once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { startWorld } from '../../testing/world.ts'

const verb = new EventEmitter()
let app: FastifyInstance | undefined
const { url } = await startWorld({
  plant(http) {
    app = http
    http.get('/slow', async () => {
      verb.emit('asked')
      await once(verb, 'done')
      return { isDone: true }
    })
  },
})

test('A server that stops answers what it was asked, and waits for no browser that would keep its connection', async () => {
  const agent = new Agent({ keepAlive: true })
  const asking = get(`${url}/slow`, { agent })
  const answered = once(asking, 'response') as Promise<[IncomingMessage]>
  await once(verb, 'asked')
  const closed = app?.close()
  await expect.poll(() => app?.server.listening).toBe(false)
  verb.emit('done')
  const [response] = await answered
  expect(String(await buffer(response))).toBe('{"isDone":true}')
  expect(response.headers.connection).toBe('close')
  await closed
  agent.destroy()
})
