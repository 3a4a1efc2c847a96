-- Asks Weir about each request. Sets txn.weir_status to 200 or to the status of the denial, and txn.weir_limit,
-- txn.weir_retry and txn.weir_body. If Weir is away, it sets nothing, and the request passes.
local url = "http://127.0.0.1:" .. (os.getenv("WEIR_PORT") or "8080") .. "/v1/ratelimit/forward?from=forwarded&deny=403"

core.register_action("weir", { "http-req" }, function(txn)
  local key = txn.f:req_fhdr("x-api-key")
  local headers = {
    ["x-forwarded-method"] = { txn.f:method() },
    ["x-forwarded-uri"] = { txn.f:path() },
    ["x-forwarded-for"] = { txn.f:src() },
  }
  if key ~= nil and key ~= "" then
    headers["x-api-key"] = { key }
  end
  local answer = core.httpclient():get({ url = url, headers = headers, timeout = 50 })
  local function header(name)
    local values = answer.headers and answer.headers[name]
    return values and (values[0] or values[1])
  end
  -- Only a denial has this header: a 503 of HAProxy's own client, or of an overloaded Weir, is none.
  local denied = answer and header("x-weir-status")
  if answer == nil or (answer.status ~= 200 and denied == nil) then
    core.Warning("weir: no answer, the request passes")
    return
  end
  local function keep(name, value)
    if value ~= nil then
      txn:set_var(name, value)
    end
  end
  keep("txn.weir_status", tonumber(denied) or 200)
  keep("txn.weir_limit", header("ratelimit"))
  keep("txn.weir_retry", header("retry-after"))
  if denied then
    keep("txn.weir_body", answer.body)
  end
end)
