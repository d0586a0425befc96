import { z } from 'zod'
import { groupInfoOf } from '../../client/worker/group/mls.ts'
import { enters, newBrowser, room, type Seat } from '../../client/worker/group/testing.ts'
import { openByGroup, sealMessage } from '../../client/worker/messages/sealedMessage.ts'
import type { Statement } from '../../contract/chat/content.ts'
import { parseEnvelope } from '../../contract/chat/envelope.ts'

// The page of the crypto figure. It runs in Chromium on the main thread, because Chromium cannot throttle workers. The file has a
// test's name because, as the tests in client/worker/ do, it calls steps that the import rules hide from product code.

/** Duration of each step in one round, in ms. */
export interface Steps {
  seal: number
  open: number
  commit: number
  apply: number
  join: number
}

declare global {
  var runRound: (messages: number, changes: number) => Promise<Steps>
}

z.config({ jitless: true })

/** Makes a room of three devices. Alice sends messages and commits, Bob processes them, and more devices join. */
globalThis.runRound = async (messages, changes) => {
  const { alice, bob, house } = await room()
  await exchange(alice, bob, 3)
  const { seal, open } = await exchange(alice, bob, messages)
  const times = { commit: 0, apply: 0, join: 0 }
  for (let at = 0; at < changes; at++) {
    const committed = await timed(() => alice.renews())
    times.commit += committed.ms
    times.apply += (await timed(() => bob.takes(committed.value))).ms
    const [browser, groupInfo] = [await newBrowser(alice.browser.identity), await groupInfoOf(bob.group)]
    times.join += (await timed(() => enters(browser, groupInfo, house))).ms
  }
  const { commit, apply, join } = times
  return { seal: seal / messages, open: open / messages, commit: commit / changes, apply: apply / changes, join: join / changes }
}

/** Seals and opens complete messages as the product does: signed, padded, sealed for the devices and for the archive. */
async function exchange(alice: Seat, bob: Seat, count: number): Promise<{ seal: number; open: number }> {
  const contents: string[] = []
  const sealed = await timed(async () => {
    for (let at = 0; at < count; at++) {
      const { group, content } = await sealMessage(alice.group, alice.browser, statement())
      alice.group = group
      contents.push(content)
    }
  })
  const opened = await timed(async () => {
    for (const content of contents) {
      const envelope = parseEnvelope(content)
      if (!envelope) throw new Error('No envelope')
      bob.group = (await openByGroup(bob.group, envelope)).group
    }
  })
  return { seal: sealed.ms, open: opened.ms }
}

const statement = (): Statement => ({
  id: crypto.randomUUID(),
  chatRoomId: 'dm_a_b',
  sentAt: new Date().toISOString(),
  content: {
    type: 'text',
    text: 'A sentence of about a hundred characters, which is what people write to one another all day long.',
  },
  replyToId: null,
  manifests: { a: 1, b: 1 },
  seen: { seq: 1, hash: '' },
})

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const startedAt = performance.now()
  const value = await work()
  return { ms: performance.now() - startedAt, value }
}
