// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../env.ts'
import { makeAnswers, openScreen, show } from '../testing/screen.tsx'
import { PasswordField } from './Field.tsx'
import { Stretching } from './Stretching.tsx'
import { leftWords } from './stretchingWords.ts'

openScreen()

let share: number | null
const stretching = vi.fn(async (what: string) => (what === 'seconds' ? 52 : what === 'share' ? share : null))

beforeEach(() => {
  share = null
  stretching.mockClear()
})

/** A form of two password fields, as they stand in a browser without WebAssembly. */
function showForm() {
  const field = (label: string) => <PasswordField label={label} onValue={() => undefined} />
  const form = (
    <form>
      {field('Password')}
      <Stretching />
      {field('Repeat')}
      <Stretching />
    </form>
  )
  return show(form, makeAnswers(), { crypto: { stretching } as unknown as Env['crypto'] })
}

test('How long it takes is said once in a form, before the button is pressed, as soon as something is typed', async () => {
  showForm()
  await vi.waitFor(() => expect(stretching).toHaveBeenCalledWith('seconds'), 10_000)
  expect(screen.queryByText(/takes about/)).toBeNull()
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'words' } })
  const said = await screen.findByText('In this browser that takes about 50 s: its safer level switches off the fast way.')
  expect(said.closest('.stretching')).toBe([...document.querySelectorAll('.stretching')].at(-1))
  expect(screen.getAllByText(/takes about/)).toHaveLength(1)
})

test('While it runs the share stands there, and Cancel stops it', async () => {
  const { person } = showForm()
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: 'words' } })
  share = 0.38
  const bar = await screen.findByRole('progressbar', { name: 'Opening your keys' })
  expect([bar.getAttribute('value'), screen.getByRole('status').textContent]).toEqual(['0.38', 'Opening your keys'])
  await screen.findByText(/^about \d+ s left$/)
  await person.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(stretching).toHaveBeenCalledWith('stop')
  share = null
  await vi.waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull())
})

test('What is left is never less than a second', () => {
  expect([leftWords(0.2), leftWords(14.4)]).toEqual(['about 1 s left', 'about 14 s left'])
})
