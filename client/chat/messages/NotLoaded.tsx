import { CircleAlert } from 'lucide-react'
import { Empty } from '../../ui/Empty.tsx'

export const NotLoaded = ({ onRetry }: { onRetry: () => void }) => (
  <div className="centre" role="alert">
    <Empty icon={CircleAlert} title="Messages could not be loaded">
      <button type="button" className="btn outline" onClick={onRetry}>
        Try again
      </button>
    </Empty>
  </div>
)
