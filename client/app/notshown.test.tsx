// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { User } from '../../contract/account/account.ts'
import { makeAnswers, openScreen, show } from '../testing/screen.tsx'
import { NotShown } from './NotShown.tsx'
import { Welcome } from './Welcome.tsx'

openScreen()

test('At an address that nothing has a member reads so, and goes back to the chats', async () => {
  history.replaceState(null, '', '/nope')
  const onClose = vi.fn()
  const { person } = show(
    <Welcome user={{ username: 'alice' } as User} onClose={onClose} onList={undefined} onAdd={vi.fn()} />,
    makeAnswers(),
  )
  expect(screen.getByRole('alert').textContent).toContain('Page not found')
  await person.click(screen.getByRole('button', { name: 'Go Back' }))
  expect(onClose).toHaveBeenCalledOnce()
})

test('A chat that is not on the list is told of in the specification’s words', () => {
  show(<NotShown onClose={vi.fn()} />, makeAnswers())
  expect(screen.getByRole('alert').textContent).toContain('Contact data error')
  expect(screen.getByRole('alert').textContent).toContain('Unable to load contact information')
})
