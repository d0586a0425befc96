import { useEffect, useState } from 'react'
import type { User } from '../../contract/account/account.ts'
import { adminApi } from '../../contract/admin/admin.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { useCopy } from '../ui/useCopy.tsx'
import './admin.css'

/** At the dashboard's address, on a server that has no administrator yet: how the first one is made. Otherwise nothing. */
export function FirstAdministrator({ user, onClose }: { user: User; onClose: () => void }) {
  const env = useEnv()
  const [isShown, setShown] = useState(false)
  const command = `npm run account -- make-admin ${user.username}`
  const { isCopied, copy } = useCopy(command)
  useEffect(() => {
    env.api(adminApi.first, {}).then(
      ({ hasAdministrator }) => setShown(!hasAdministrator),
      // The chats stand here as for everybody who is no administrator.
      () => undefined,
    )
  }, [env])
  if (!isShown) return null
  return (
    <Dialog
      title="No administrator yet"
      text="The first one is made on the server’s own machine, by whoever runs it: there is no password that would be known to all."
      onClose={onClose}
    >
      <ol className="first-admin">
        <li>Open a terminal in the folder of Conclave. The server may go on running.</li>
        <li>
          Run this command. It makes your account, @{user.username.toLowerCase()}, an administrator:
          <code data-command>{command}</code>
        </li>
        <li>The dashboard then opens here by itself. Administrators make others there.</li>
      </ol>
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Close
        </button>
        <button type="button" className="btn primary" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy the command'}
        </button>
      </footer>
      <span className="sr" role="status">
        {isCopied && 'Copied'}
      </span>
    </Dialog>
  )
}
