import { Tabs } from 'radix-ui'
import { type FormEvent, useRef, useState } from 'react'
import type { User } from '../../contract/account.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { type CameraTrouble, cameraWords } from '../ui/camera.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { useEnv } from '../ui/env.tsx'
import { Field } from '../ui/Field.tsx'
import { failureWords } from '../ui/failure.ts'
import { Scanner } from '../ui/Scanner.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { showToast } from '../ui/toast.ts'
import { redeemScan, redeemToken } from './codes.ts'
import { readContent } from './content.ts'
import './codes.css'

/** Adds a contact by a code: by the camera, or by a pasted token. */
export function ScanDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const [mode, setMode] = useState<string>('camera')
  return (
    <Dialog title="Scan QR" text="The other person finds their code under Invite." onClose={onClose}>
      <Tabs.Root value={mode} onValueChange={setMode} className="code-modes">
        <Tabs.List className="seg" aria-label="How to add">
          <Tabs.Trigger value="camera">Camera</Tabs.Trigger>
          <Tabs.Trigger value="manual">Paste token</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="camera">
          <Camera user={user} onManual={() => setMode('manual')} onClose={onClose} />
        </Tabs.Content>
        <Tabs.Content value="manual">
          <Manual onClose={onClose} />
        </Tabs.Content>
      </Tabs.Root>
    </Dialog>
  )
}

function Camera({ user, onManual, onClose }: { user: User; onManual: () => void; onClose: () => void }) {
  const [isScanning, setScanning] = useState(true)
  const { isPending, add } = useAdding(onClose)

  function fail(trouble: CameraTrouble) {
    const instead = trouble === 'missing' ? 'use manual entry to add contacts' : 'use manual entry'
    showToast({ tone: 'bad', title: 'Camera Error', text: cameraWords(trouble, instead) })
    onManual()
  }

  async function read(text: string) {
    if (isPending) return
    const scan = readContent(text)
    if (typeof scan !== 'string') return void (await add((env) => redeemScan(env, user, scan)))
    const why = scan === 'unreadable' ? 'Unable to read QR code data' : 'This QR code is not a valid contact share code'
    showToast({ tone: 'bad', title: 'Invalid QR Code', text: why })
  }

  if (isPending) return <Spinner words="Adding the contact" isVisible />
  if (isScanning) return <Scanner instead="use manual entry" onCode={read} onStop={() => setScanning(false)} onTrouble={fail} />
  return (
    <div className="scan-acts">
      <button type="button" className="btn primary" onClick={() => setScanning(true)}>
        Start scan
      </button>
    </div>
  )
}

function Manual({ onClose }: { onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const [token, setToken] = useState('')
  const [error, setError] = useState<string>()
  const { isPending, add } = useAdding(onClose, (words) => {
    setError(words)
    field.current?.focus()
  })
  const isEmpty = token.trim() === ''

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    if (isEmpty) return showToast({ tone: 'bad', title: 'Token Required', text: 'Please enter a QR token' })
    await add((env) => redeemToken(env, token))
  }

  return (
    <form onSubmit={submit}>
      <Field
        label="QR token"
        inputRef={field}
        value={token}
        error={error}
        help={<p className="help">A token proves nothing about the person: compare the safety number afterwards.</p>}
        onValue={(value) => {
          setToken(value)
          setError(undefined)
        }}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={600}
      />
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="btn primary" disabled={isEmpty || isPending}>
          {isPending ? 'Adding...' : 'Add Contact'}
        </button>
      </footer>
    </form>
  )
}

/** Adds by one of the two ways and says how it went: a failure in a toast, or where `onFailure` puts it. */
function useAdding(onAdded: () => void, onFailure?: (words: string) => void) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)
  async function add(redeem: (env: Env) => Promise<string>) {
    setPending(true)
    try {
      const name = await redeem(env)
      showToast({ tone: 'good', title: 'Contact added', text: `${name} has been added to your contacts.` })
      onAdded()
    } catch (failure) {
      const isSaid = failure instanceof ApiError || failure instanceof CryptoFailure
      const words = isSaid ? failureWords(failure) : 'Failed to add contact'
      if (onFailure) onFailure(words)
      else showToast({ tone: 'bad', title: 'Failed to add contact', text: words })
      setPending(false)
    }
  }
  return { isPending, add }
}
