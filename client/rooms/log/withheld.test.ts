import { expect, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { type TestPerson, wordsOf } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { StoredMessage } from '../../worker/crypto.ts'
import { saveBook } from '../trust/book.ts'

// The screen shows "The server dropped or reordered messages before this one." above a message that is out of place.

const shown = (messages: StoredMessage[]) =>
  messages.map(({ body, isOutOfPlace }) => {
    const words = body.kind === 'withheld' ? (body.isExplained ? '(blocked)' : '(gone)') : wordsOf(body)
    return isOutOfPlace ? `! ${words}` : words
  })

async function talking() {
  const at = await people()
  await at.alice.says(at.bob, 'one')
  await at.bob.says(at.alice, 'two')
  await at.alice.reads(at.bob)
  const contactId = at.alice.contact(at.bob).id
  const block = async (isBlocked: boolean) => {
    await at.alice.env.api(isBlocked ? contactsApi.block : contactsApi.unblock, { contactId })
    await at.alice.core.noteBlock({ userId: at.bob.userId, isBlocked })
    await saveBook(at.alice.env)
  }
  return { ...at, block }
}

const commits = async (person: TestPerson, other: TestPerson) => {
  const place = { chatRoomId: person.contact(other).chatRoomId, peerIds: [other.userId] }
  await person.env.api(roomsApi.commit, await person.core.commitRoom(place))
  await person.reads(other)
}

test('While Bob was blocked he wrote and renewed his keys: afterwards Alice reads on, nothing is out of place, and his words stay away', async () => {
  const { alice, bob, block } = await talking()
  await block(true)
  await bob.says(alice, 'while blocked')
  await commits(bob, alice)
  await bob.says(alice, 'in the new epoch')
  await alice.reads(bob)
  await block(false)
  await bob.says(alice, 'three')
  await alice.says(bob, 'four')
  const messages = await alice.reads(bob)
  expect(shown(messages)).toEqual(['one', 'two', '(blocked)', '(blocked)', 'three', 'four'])
  expect((await alice.core.roomRecord(alice.room(bob).id))?.standing).toBe('joined')
  expect(shown(await bob.reads(alice)).filter((words) => words.startsWith('!'))).toEqual([])
})

test('Bob wrote more messages while blocked than a key can be wound forward: Alice reads what comes after, and he what she answers', async () => {
  const { alice, bob, block } = await talking()
  await block(true)
  for (let count = 1; count <= 210; count++) await bob.says(alice, `flood ${count}`)
  await block(false)
  await bob.says(alice, 'three')
  await bob.says(alice, 'four')
  const words = shown(await alice.reads(bob))
  expect(words.filter((each) => each !== '(blocked)')).toEqual(['one', 'two', 'three', 'four'])
  expect(words).toHaveLength(214)
  await alice.says(bob, 'five')
  expect(shown(await bob.reads(alice)).at(-1)).toBe('five')
  // A browser that comes later finds the same, page by page.
  const phone = await alice.newComputer()
  await phone.reads(bob)
  for (let page = 0; page < 3; page++) await phone.older(bob)
  expect(shown(await phone.reads(bob)).filter((each) => each !== '(blocked)')).toEqual(['one', 'two', 'three', 'four', 'five'])
})

test('A new browser of Alice, which reads by the archive, and one without the log in between see the same places', async () => {
  const { alice, bob, block } = await talking()
  await block(true)
  await bob.says(alice, 'while blocked')
  await commits(bob, alice)
  await block(false)
  await bob.says(alice, 'three')
  const phone = await alice.newComputer()
  const messages = await phone.reads(bob)
  expect(shown(messages)).toEqual(['one', 'two', '(blocked)', 'three'])
})

test('A server that withholds a message and names another hash for it is found out at the next one', async () => {
  const { alice, bob, block, wire } = await talking()
  await block(true)
  await bob.says(alice, 'while blocked')
  await block(false)
  await bob.says(alice, 'three')
  wire.lie = (_caller, path, answer) => {
    if (path !== roomsApi.log.path) return answer
    const { entries, lastSeq } = roomsApi.log.output.parse(answer)
    const other = Buffer.alloc(32, 7).toString('base64')
    return { entries: entries.map((entry) => (entry.kind === 'withheld' ? { ...entry, contentHash: other } : entry)), lastSeq }
  }
  expect(shown(await alice.reads(bob))).toEqual(['one', 'two', '(blocked)', '! three'])
})

test('A server that withholds what nobody blocked or cleared cannot do it unseen: the place says that it is gone', async () => {
  const { alice, bob, wire, roomId } = await talking()
  await bob.says(alice, 'censored')
  const listed = wire.contacts.get(`${alice.userId} ${bob.userId}`)
  const seq = wire.rooms.get(roomId)?.log.length ?? 0
  if (listed) listed.withheld = [[seq, seq]]
  expect(shown(await alice.reads(bob))).toEqual(['one', 'two', '(gone)'])
})
