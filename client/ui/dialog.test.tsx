// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { makeAnswers, openScreen, show } from '../testing/screen.tsx'
import { AlertDialog } from './AlertDialog.tsx'
import { Dialog } from './Dialog.tsx'

openScreen()

const onClose = vi.fn()
const onDelete = vi.fn()

function Nested({ isAlert }: { isAlert: boolean }) {
  const [isOpen, setOpen] = useState(true)
  const close = () => setOpen(false)
  const words = { title: 'Inner', text: 'Sure?', action: 'Delete', pendingAction: 'Deleting...', isPending: false }
  return (
    <Dialog title="Outer" onClose={onClose}>
      <input aria-label="Name" />
      {isOpen &&
        (isAlert ? (
          <AlertDialog {...words} onConfirm={onDelete} onCancel={close} />
        ) : (
          <Dialog title="Inner" onClose={close}>
            <input aria-label="Word" />
          </Dialog>
        ))}
    </Dialog>
  )
}

test('A question with two answers begins at Cancel, and Tab goes from one to the next as they stand', async () => {
  const words = { title: 'Sure?', text: 'It goes.', action: 'For all', pendingAction: '', isPending: false }
  const other = { action: 'For me', onConfirm: onDelete }
  const { person } = show(<AlertDialog {...words} other={other} onConfirm={onDelete} onCancel={onClose} />, makeAnswers())
  const names = screen.getAllByRole('button').map(({ textContent }) => textContent)
  expect([names, document.activeElement?.textContent]).toEqual([['For me', 'For all', 'Cancel'], 'Cancel'])
  await person.tab()
  expect(document.activeElement?.textContent).toBe('For me')
})

test.each([
  [false, 'dialog'],
  [true, 'alertdialog'],
] as const)('Escape in a dialog that lies over another closes the upper one alone (a question: %s)', async (isAlert, role) => {
  onClose.mockReset()
  const { person } = show(<Nested isAlert={isAlert} />, makeAnswers())
  await screen.findByRole(role, { name: 'Inner' })
  await person.keyboard('{Escape}')
  expect(screen.queryByRole(role, { name: 'Inner' })).toBeNull()
  expect(onClose).not.toHaveBeenCalled()
  await person.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalled()
})
