import { MonitorDown } from 'lucide-react'
import { useStore } from 'zustand'
import { Part } from '../ui/Part.tsx'
import { install, installStore } from './install.ts'

/** Offers to install the app, where this browser does. */
export function InstallPart() {
  const canInstall = useStore(installStore, ({ offer }) => offer !== null)
  if (!canInstall) return null
  return (
    <Part title="Install" text="Conclave as an app, in a window of its own. It is the same, with the same keys.">
      <div className="acts">
        <button type="button" className="btn outline" onClick={() => void install()}>
          <MonitorDown className="i i-16" aria-hidden />
          Install
        </button>
      </div>
    </Part>
  )
}
