// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { KeyLine } from '../../chat/messages/KeyLine.tsx'
import type { Env } from '../../env.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { ChangedPerson } from './ChangedPerson.tsx'
import { ContactPanel } from './ContactPanel.tsx'
import type { Person } from './people.ts'
import type { ListFault } from './refusedList.ts'

openScreen()

/** A worker that answers nothing. */
const quiet = new Proxy({}, { get: () => () => new Promise(() => undefined) }) as Env['crypto']

const bob = {
  ...{ id: 'b1', username: 'bob', listedUsername: 'bob', displayName: 'Bob', alias: null, isDeleted: false, choices: null },
  identityKey: `${'b'.repeat(43)}=`,
} as Person

test.each<[ListFault, string]>([
  ['list_unsigned', 'The server shows a device list that Bob has not signed.'],
  ['list_older', 'The server shows an older device list of Bob than before.'],
  ['list_contradicts', 'The server shows a device list of Bob that contradicts the one before it.'],
  ['list_absent', 'The server shows no device list of Bob.'],
  ['list_older_elsewhere', 'The server shows an older device list of Bob than another of your browsers has noted.'],
  ['list_differs_elsewhere', 'The server shows another device list of Bob than another of your browsers has noted.'],
])(
  'A list at fault (%s) is said as it is, with nothing to accept, and beside the address that Alice knows',
  (mismatch, words) => {
    show(
      <>
        <KeyLine person={{ ...bob, mismatch }} />
        <ChangedPerson person={bob} mismatch={mismatch} onAccept={vi.fn()} onDetails={vi.fn()} />
      </>,
      makeAnswers(),
    )
    expect(screen.getByRole('alert').textContent).toContain(words)
    expect(screen.queryByRole('button', { name: /accept|confirm|compare/i })).toBeNull()
    expect(document.body.textContent).not.toMatch(/another onion address|key of Bob has changed/)
  },
)

test.each<ListFault>(['list_older_elsewhere', 'list_differs_elsewhere'])(
  'What only another browser has noted (%s) is no word about who holds Bob’s key, and Alice reads what she can do',
  (mismatch) => {
    show(<ChangedPerson person={bob} mismatch={mismatch} onAccept={vi.fn()} onDetails={vi.fn()} />, makeAnswers())
    const said = screen.getByRole('alert').textContent
    expect(said).toMatch(/remove in Settings, under Devices, each browser that is not yours/)
    expect(said).not.toMatch(/signed by the key|may hold it|this browser has seen/)
  },
)

test('Of Bob whom the server shows without a key, nobody is told that he has no device', () => {
  show(<KeyLine person={{ ...bob, identityKey: null, mismatch: 'list_absent' }} />, makeAnswers())
  expect(document.body.textContent).toBe('The server shows no onion address of Bob.')
})

test('Where the numbers differ, the panel calls nothing encrypted; where nothing stops, it does', () => {
  const panel = (person: Person) => (
    <ContactPanel person={person} presence={undefined} onClose={vi.fn()} onFreed={vi.fn()} isCovered={false}>
      {null}
    </ContactPanel>
  )
  const { again } = show(panel({ ...bob, mismatch: 'numbers_differ' }), makeAnswers(), { crypto: quiet })
  expect(screen.getByText('Numbers differ')).toBeTruthy()
  expect(document.body.textContent).not.toMatch(/are end-to-end encrypted/)
  expect(screen.getByText('The onion address of this account:')).toBeTruthy()
  again(panel({ ...bob, mismatch: null }))
  expect(screen.getByText('Messages are end-to-end encrypted via onion address:')).toBeTruthy()
})
