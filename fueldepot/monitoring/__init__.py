"""What an operator watches: health checks, metrics for Prometheus, error reports to Sentry."""
