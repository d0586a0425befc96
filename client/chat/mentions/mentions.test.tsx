// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useRef, useState } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { writeUser } from '../../me/account/storedUser.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { Words } from '../messages/Words.tsx'
import { MentionCompletion } from './MentionCompletion.tsx'
import { MentionedContext } from './mentionedContext.tsx'
import { mentionedOf } from './mentionedPeople.ts'
import { findMentioned, mentionBefore } from './mentions.ts'

openScreen()
beforeEach(() => writeUser({ id: 'a1', username: 'Alice_B', displayName: 'Alice' }))

const people = () =>
  mentionedOf([
    { id: 'i1', username: 'ingrid_s', name: 'Ingrid Sørensen', photo: null },
    { id: 'r1', username: 'rafael', name: 'The lawyer', photo: null },
  ])

let sent = 0
function Field() {
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  return (
    <MentionedContext value={people()}>
      <textarea
        ref={field}
        aria-label="Message"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') sent += 1
        }}
      />
      <MentionCompletion field={field} onText={setText} />
    </MentionedContext>
  )
}
const field = () => screen.getByLabelText<HTMLTextAreaElement>('Message')
const offered = async () =>
  within(await screen.findByRole('listbox', { name: 'People to mention' }))
    .getAllByRole('option')
    .map(({ textContent }) => textContent?.replace(/^[A-Z]+(?=[A-Z])|Tab$/g, ''))

test('An @ begins a mention, but not within a word, in an address, in code, or before one', () => {
  const queryOf = (text: string) => mentionBefore(text.replace('|', ''), text.indexOf('|'))?.query
  expect(['@|', 'Thank you, @in|', '(@Sør|', 'a\n@r_2|'].map(queryOf)).toEqual(['', 'in', 'Sør', 'r_2'])
  for (const text of ['a@b|', 'me@example.org|', '`@in|', '@ in|', '@in|g', `@${'x'.repeat(40)}|`])
    expect(queryOf(text), text).toBe(undefined)
})

test('People are found by the username or by a word of the name that the reader gave them, the reader never, a whole username no more', () => {
  const foundBy = (query: string) => findMentioned(people(), query).map(({ username }) => username)
  expect(foundBy('')).toEqual(['ingrid_s', 'rafael'])
  expect(foundBy('sør')).toEqual(['ingrid_s'])
  expect(foundBy('LAW')).toEqual(['rafael'])
  for (const query of ['ali', 'ingrid_s', 'x']) expect(foundBy(query), query).toEqual([])
})

test('Tab and Enter write the username, not a name of one’s own, and do not send; a whole one is sent', async () => {
  const { person: user } = show(<Field />, makeAnswers())
  await user.type(field(), 'Thank you, @')
  expect(await offered()).toEqual(['Ingrid Sørensen @ingrid_s', 'The lawyer @rafael'])
  await user.keyboard('{ArrowDown}{Enter}')
  expect(field().value).toBe('Thank you, @rafael ')
  await user.keyboard('and @in')
  expect(await offered()).toEqual(['Ingrid Sørensen @ingrid_s'])
  await user.keyboard('{Tab}!')
  expect([field().value, sent, document.activeElement]).toEqual(['Thank you, @rafael and @ingrid_s !', 0, field()])
  await user.keyboard(' @ing')
  await offered()
  fireEvent.keyDown(field(), { key: 'Enter', keyCode: 229 })
  const arrow = new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true, cancelable: true })
  field().dispatchEvent(arrow)
  expect([field().value.endsWith(' @ing'), arrow.defaultPrevented]).toEqual([true, false])
  sent = 0
  await offered()
  await user.keyboard('rid_s')
  await waitFor(() => expect(screen.queryByRole('listbox')).toBe(null))
  await user.keyboard('{Enter}')
  expect(sent).toBe(1)
})

test('A mention shows the name that the reader gave, the reader’s own stands out, a search marks it whole, and strangers stay words', () => {
  const text =
    'Ask @RAFAEL, @alice_b and *@ingrid_s*, not @nobody, a@rafael, café@rafael, @rafaelé, @rafael.example.org, @rafael-x or `@rafael`'
  show(
    <MentionedContext value={people()}>
      <p>
        <Words text={text} marks={[[6, 8]]} />
      </p>
    </MentionedContext>,
    makeAnswers(),
  )
  const shown = [...document.querySelectorAll('.mention')]
  expect(shown.map(({ textContent }) => textContent)).toEqual(['@The lawyer', '@Alice_B', '@Ingrid Sørensen'])
  expect(shown.map(({ classList }) => classList.contains('own'))).toEqual([false, true, false])
  expect(shown[0]?.querySelector('mark')?.textContent).toBe('@The lawyer')
  expect(document.querySelectorAll('code')).toHaveLength(1)
  expect(document.querySelector('p')?.textContent).toBe(
    'Ask @The lawyer, @Alice_B and @Ingrid Sørensen, not @nobody, a@rafael, café@rafael, @rafaelé, @rafael.example.org, @rafael-x or @rafael',
  )
})
