// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import type { Fork } from '../../worker/crypto.ts'
import type { RoomRow } from '../list/roomList.ts'
import { type Person, putPeople, resetPeople } from '../trust/people.ts'
import { ForkQuestion } from './ForkQuestion.tsx'

openScreen()
beforeEach(() => {
  resetPeople()
  putPeople([{ id: 'eve', username: 'eve', displayName: 'Eve', alias: null, isDeleted: false } as Person])
})

const fork = (more: Partial<Fork>): Fork => ({
  ...{ userId: 'alice', version: 2, hash: 'aa==', known: 'bb==', by: 'eve', isProven: false, isTold: false, isAnswered: false },
  ...more,
})
const roomWith = (...forks: Fork[]) =>
  ({ id: 'room', ownId: 'alice', memberIds: ['alice', 'eve'], peers: [], forks }) as never as RoomRow

test.each([
  [{}, 'Eve’s browser names a list of yours that you do not know.'],
  [{ userId: 'eve' }, 'Eve’s browser names a list of its own account that you do not know.'],
  [{ userId: 'eve', by: 'alice' }, 'Another browser of yours names a list of Eve that you do not know.'],
])('What Eve’s browser only names (%o) is said without an alarm, and can be put away', async (more, words) => {
  const room = roomWith(fork(more))
  const answered = vi.fn(async () => undefined)
  const crypto = { answerForks: answered, roomRecord: async () => ({ forks: [] }) } as never
  const { person } = show(<ForkQuestion room={room} onAnswered={() => undefined} />, makeAnswers(), { crypto })
  expect(screen.getByRole('status').textContent).toContain(words)
  expect(screen.queryByRole('alert')).toBeNull()
  expect(document.body.textContent).not.toMatch(/may hold your keys|only a new account|until you decide/)
  await person.click(screen.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(answered).toHaveBeenCalledOnce())
})

test('Whoever puts a claim away by the keyboard writes on: the focus is in the composer', async () => {
  const chat = (question: ReactNode) => (
    <main>
      {question}
      <div className="compose">
        <textarea />
      </div>
    </main>
  )
  const answered = async () => void screened.again(chat(null))
  const crypto = { answerForks: answered, roomRecord: async () => ({ forks: [] }) } as never
  const question = <ForkQuestion room={roomWith(fork({}))} onAnswered={() => undefined} />
  const screened = show(chat(question), makeAnswers(), { crypto })
  await screened.person.tab()
  await screened.person.keyboard('{Enter}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox')), { timeout: 1000 })
  expect(screen.queryByRole('status')).toBeNull()
})

test('Two signed lists are an alarm, also beside a mere claim', () => {
  show(<ForkQuestion room={roomWith(fork({}), fork({ isProven: true }))} onAnswered={() => undefined} />, makeAnswers())
  expect(screen.getByRole('alert').textContent).toContain('Two lists of your own browsers have the same number')
  expect(screen.getByRole('button', { name: 'Decide' })).toBeTruthy()
})
