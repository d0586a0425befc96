// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { useRef, useState } from 'react'
import { beforeEach, expect, test } from 'vitest'
import type { Env } from '../../env.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import type { UsedEmojis } from '../../worker/crypto.ts'
import { codeBefore } from './completion.ts'
import { EmojiButton } from './EmojiButton.tsx'

openScreen()

let kept: UsedEmojis
let sent: number
beforeEach(() => {
  kept = { used: [], tone: 0 }
  sent = 0
})
const crypto = {
  readEmojis: async () => kept,
  keepEmojis: async (now: UsedEmojis) => {
    kept = now
  },
} as unknown as Env['crypto']

function Field() {
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  return (
    <>
      <textarea
        ref={field}
        aria-label="Message"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') sent += 1
        }}
      />
      <EmojiButton field={field} onText={setText} />
    </>
  )
}
const opens = () => show(<Field />, makeAnswers(), { crypto })
const field = () => screen.getByLabelText<HTMLTextAreaElement>('Message')
const offered = async () =>
  within(await screen.findByRole('listbox', { name: 'Emoji' }))
    .getAllByRole('option')
    .map(({ textContent }) => textContent)

test('A colon and two letters begin a code, but not within a word, in code, or before one', () => {
  const queryOf = (text: string) => codeBefore(text.replace('|', ''), text.indexOf('|'))?.query
  expect([':fo|', 'so (:+1|', 'a\n:fol|', 'Understood :fol|'].map(queryOf)).toEqual(['fo', '+1', 'fol', 'fol'])
  for (const text of [
    ':f|',
    ':-D|',
    ':-)|',
    ':30|',
    'at 10:30|',
    'https://a|',
    'a:fol|',
    '`:fol|',
    ': fol|',
    ':fo|x',
    `:${'x'.repeat(60)}|`,
  ])
    expect(queryOf(text), text).toBe(undefined)
  expect(codeBefore('`a` :fol', 8)).toEqual({ from: 4, to: 8, query: 'fol' })
})

test('Three are offered, best first; Tab takes the first, Enter the marked one, and neither sends', async () => {
  const { person } = opens()
  await person.type(field(), 'Understood :fol')
  const [first = ''] = await offered()
  expect([(await offered()).length, first]).toEqual([3, expect.stringMatching(/^\p{Extended_Pictographic}.*fol\w*Tab$/u)])
  expect(field().getAttribute('aria-activedescendant')).toBe(screen.getByRole('option', { selected: true }).id)
  await person.keyboard('{Tab}')
  const taken = [...first][0] ?? ''
  await waitFor(() => expect(field().value.startsWith(`Understood ${taken}`)).toBe(true))
  expect(screen.queryByRole('listbox')).toBe(null)
  await person.keyboard(':fol')
  const [, second = ''] = await offered()
  await person.keyboard('{ArrowDown}{Enter}')
  await waitFor(() => expect(field().value).toContain([...second][0] ?? ''))
  expect([sent, kept.used.length, document.activeElement]).toEqual([0, 2, field()])
  expect(field().getAttribute('aria-activedescendant')).toBe(null)
})

test('Letters that are typed right behind Tab, on a slow disk too, come behind the emoji', async () => {
  const { person } = opens()
  await person.type(field(), ':fol')
  await offered()
  crypto.readEmojis = () => new Promise(() => undefined)
  await person.keyboard('{Tab}and on')
  expect(field().value).toMatch(/^\P{ASCII}+ and on$/u)
  crypto.readEmojis = async () => kept
})

test('Esc leaves the letters as they stand, until another code begins', async () => {
  const { person } = opens()
  await person.type(field(), ':fol')
  await offered()
  await person.keyboard('{Escape}')
  expect(screen.queryByRole('listbox')).toBe(null)
  await person.keyboard('d')
  expect([field().value, screen.queryByRole('listbox')]).toEqual([':fold', null])
  await person.keyboard('{Enter}')
  expect(sent).toBe(1)
  await person.keyboard(' :fol')
  expect(await offered()).toHaveLength(3)
})
