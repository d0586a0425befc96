import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { messagesApi } from '../../contract/messages.ts'
import { newBrowser } from '../testing/browser.ts'
import { startWorld } from '../testing/world.ts'

const world = await startWorld()

/** Starts a server process on the same database that dies at this fault point. */
async function killableServer(point: string): Promise<{ url: string; process: ChildProcess }> {
  const [row] = await world.sql('select current_database() as name')
  const server = spawn(process.execPath, ['--import', 'tsx', path.resolve(import.meta.dirname, '../testing/killable.ts')], {
    env: {
      ...process.env,
      DATABASE_URL: inject('clusterUrl').replace('/template?', `/${row?.['name']}?`),
      CONCLAVE_FAULT: `${point}:exit`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    server.kill('SIGKILL')
  })
  const [line] = await once(server.stdout, 'data')
  return { url: String(line).trim(), process: server }
}

test('the server dies between COMMIT and answer: sent again, the message is there once', async () => {
  const { alice, bob } = await world.people()
  const chatRoomId = await alice.talksTo(bob)
  const draft = { id: randomUUID(), chatRoomId, content: 'only once', messageType: 'text' as const }
  const { url, process } = await killableServer('message:committed')
  const browser = newBrowser(url)
  browser.cookie = alice.cookie
  const died = once(process, 'exit')
  await expect(browser.does(messagesApi.send, draft)).rejects.toThrow('fetch failed')
  expect(await died).toEqual([null, 'SIGKILL'])

  expect(await alice.does(messagesApi.send, draft)).toMatchObject({ id: draft.id, seq: 1, content: 'only once' })
  expect(await bob.does(messagesApi.list, { chatRoomId })).toMatchObject([{ id: draft.id, seq: 1 }])
  expect((await alice.says(chatRoomId, 'next')).seq).toBe(2)
  const [row] = await bob.contacts()
  expect(row).toMatchObject({ unreadCount: 2, lastSeq: 2 })
})
