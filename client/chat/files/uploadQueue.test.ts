import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import type { UploadRow } from '../../worker/crypto.ts'
import type { Follower } from './fileFollower.ts'
import { cancelUpload, pauseUpload, refreshUploads } from './uploadQueue.ts'
import { uploadsStore } from './uploadsState.ts'

class Request {
  upload = {}
  status = 200
  response = undefined
  onload: (() => void) | undefined
  open = () => undefined
  setRequestHeader = () => undefined
  getResponseHeader = () => `"${'a'.repeat(64)}"`
  send = () => void setTimeout(() => this.onload?.())
}

beforeEach(() => {
  vi.stubGlobal('XMLHttpRequest', Request)
  connectionStore.setState({ phase: 'open' })
})
afterEach(() => {
  vi.unstubAllGlobals()
  uploadsStore.setState({ uploads: [] })
  connectionStore.setState({ phase: 'connecting' })
})

const row = (id: string, order: number): UploadRow =>
  ({
    ...{ id, chatRoomId: 'room', sentAt: '2026-11-26T10:00:00Z', order, begun: null, object: null },
    ...{ isPaused: false, failure: null, isLost: false, isCancelled: false, isKept: true },
    content: { name: id, caption: '', ...(/^[A-Z]\d/.test(id) && { album: { id: id[0], place: Number(id.slice(1)) } }) },
  }) as UploadRow

/** A page after a reload, whose vault holds these files. */
function page(names: string[]) {
  const rows = new Map(names.map((name, at) => [name, row(name, at)]))
  const [sent, stored]: [string[], string[][]] = [[], []]
  const vault = {
    uploads: async () => [...rows.values()],
    uploadBytes: async () => new Blob(['x']),
    async changeUpload({ id, change }: { id: string; change: object }) {
      const changed = { ...(rows.get(id) ?? row(id, 0)), ...change }
      rows.set(id, changed)
      return changed
    },
    async uploadDone({ id }: { id: string }) {
      rows.delete(id)
      sent.push(id)
    },
  }
  const api = async () => ({ url: '/one', key: crypto.randomUUID() })
  const env = { api, crypto: vault, clock: () => new Date() } as unknown as Env
  const chats: Follower = {
    show: async () => undefined,
    stored: async (_, names) => void stored.push(names),
    goOn: () => refreshUploads(env, chats),
    refused: () => undefined,
  }
  return { env, vault, chats, sent, stored }
}

test('What belongs to the first album is sent however many other files stand in between, and those follow', async () => {
  const names = ['A0', 'voice', 'B0', 'A1', 'B1', ...[2, 3, 4, 5, 6, 7, 8, 9].map((at) => `A${at}`), 'plan.pdf']
  const { env, chats, sent } = page(names)
  await refreshUploads(env, chats)
  await expect.poll(() => sent).toEqual(names)
})

test('Pictures of an album that another tab still keeps wait for the last of them, or for the end of that tab', async () => {
  const { env, chats, sent } = page(['A0', 'A1', 'B0'])
  const held = [{ name: 'conclave/album/A' }]
  let isGone = (): void => undefined
  const isFree = new Promise<void>((resolve) => {
    isGone = resolve
  })
  const request = async (...[name, , work]: [string, object, (lock: object) => Promise<unknown>]) => {
    if (name === held[0]?.name) await isFree
    return work({})
  }
  vi.stubGlobal('navigator', { locks: { request, query: async () => ({ held }) } })
  await refreshUploads(env, chats)
  await expect.poll(() => uploadsStore.getState().uploads.map(({ state }) => state)).toEqual(['stored', 'stored', 'stored'])
  await refreshUploads(env, chats)
  expect(sent).toEqual([])
  held.pop()
  isGone()
  await expect.poll(() => sent).toEqual(['A0', 'A1', 'B0'])
})

test.each([
  ['cancelled', cancelUpload],
  ['paused', pauseUpload],
])('A picture that is %s while those before it go to the outbox does not follow them', async (_, act) => {
  const { env, vault, chats, sent, stored } = page(['A0', 'A1', 'A2'])
  let acted: Promise<void> | undefined
  const { uploadDone } = vault
  vault.uploadDone = async (name) => {
    acted ??= act(env, { chatRoomId: 'room', id: 'A1' })
    await uploadDone(name)
  }
  await refreshUploads(env, chats)
  await expect.poll(() => sent).toEqual(['A0', 'A2'])
  await acted
  expect(stored.flat()).toEqual(['A0', 'A2'])
})

test('What is stored and not due yet posts nothing, which would hold its place in the queue', async () => {
  const { env, chats, sent, stored } = page(['A0', 'A1', 'A2', 'A3'])
  await refreshUploads(env, chats)
  await expect.poll(() => sent).toHaveLength(4)
  expect(stored).toEqual([['A0', 'A1', 'A2', 'A3']])
})

test('What waits behind a file goes on once another tab has paused that one', async () => {
  const { env, vault, chats, sent, stored } = page(['one', 'two'])
  vault.uploadBytes = () => new Promise(() => undefined)
  await refreshUploads(env, chats)
  expect(stored).toEqual([])
  await vault.changeUpload({ id: 'one', change: { isPaused: true } })
  await refreshUploads(env, chats)
  expect([sent, stored]).toEqual([[], [[]]])
})
