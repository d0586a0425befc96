import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { tellMarks } from '../../rooms/list/tellMarks.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { logout } from './account.ts'
import { UnsentNote } from './UnsentNote.tsx'

interface Props {
  asksForRemoval?: boolean
  isLocked?: boolean
  onClose: () => void
}

const LOCKED =
  'The keys and messages of this browser stay here, sealed, until you sign in again. To remove them as well, unlock it first.'

export function LogoutDialog({ asksForRemoval = false, isLocked = false, onClose }: Props) {
  const env = useEnv()
  const [removeKeys, setRemoveKeys] = useState(asksForRemoval)
  const [isPending, setPending] = useState(false)
  const [, navigate] = useLocation()

  async function submit(event: FormEvent) {
    event.preventDefault()
    setPending(true)
    tellMarks()
    try {
      const { reached } = await logout(env, { removeKeys })
      // The URL must not show the next person which chat was open.
      navigate('/', { replace: true })
      if (!reached)
        showToast({
          tone: 'bad',
          title: 'The server does not know yet',
          text: 'You are logged out here. The server could not be reached, so your session there stays open until this browser can tell it.',
        })
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'Logout failed', text: failureWords(error) })
    }
  }

  return (
    <Dialog title="Log out?" text={isLocked ? LOCKED : 'Choose what stays in this browser.'} onClose={onClose}>
      {!isLocked && <UnsentNote />}
      <form onSubmit={submit}>
        {!isLocked && (
          <fieldset className="choices">
            <legend className="sr">What stays in this browser</legend>
            <label className="choice">
              <input type="radio" name="keys" checked={!removeKeys} onChange={() => setRemoveKeys(false)} />
              <b>Keep its keys</b>
              <span>They and the messages stay here, sealed, until you sign in again.</span>
            </label>
            <label className="choice">
              <input type="radio" name="keys" checked={removeKeys} onChange={() => setRemoveKeys(true)} />
              <b>Remove its keys</b>
              <span>
                Nothing stays here that could be opened, and unsent messages are lost. Signing in again adds this browser anew.
                Without a connection the server may keep its part of the keys: then remove this browser at another one too.
              </span>
            </label>
          </fieldset>
        )}
        <footer>
          <button type="button" className="btn outline" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={removeKeys ? 'btn danger' : 'btn primary'} disabled={isPending}>
            {isPending ? 'Logging out...' : 'Logout'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
