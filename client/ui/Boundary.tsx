import { TriangleAlert } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { Empty } from './Empty.tsx'

/** Error boundary of a screen, which shows a text instead of a white page after a bug. React needs a class for it. */
export class Boundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <div className="centre" role="alert">
        <Empty icon={TriangleAlert} title="This screen failed" text="Loading the page again usually helps.">
          <button type="button" className="btn primary" onClick={() => location.reload()}>
            Load again
          </button>
        </Empty>
      </div>
    )
  }
}
