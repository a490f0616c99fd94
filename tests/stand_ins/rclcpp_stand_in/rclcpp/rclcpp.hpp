// Copyright 2026 The KARMA Authors
// SPDX-License-Identifier: Apache-2.0
//
// What docs/ros.md uses of rclcpp, with rclcpp's names and types and nothing behind them: there is no rclcpp for ROS 2
// from wheels. A page's program is compiled against this, and never run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>

#include <builtin_interfaces/msg/time.hpp>

namespace rclcpp
{
struct Logger {};

struct Time
{
  operator builtin_interfaces::msg::Time() const;
  std::int64_t nanoseconds() const;
};

enum class FutureReturnCode {SUCCESS, INTERRUPTED, TIMEOUT};

template <typename Kind>
struct Client
{
  struct FutureAndRequestId
  {
    typename Kind::Response::SharedPtr get();
  };
  bool wait_for_service(std::chrono::nanoseconds timeout);
  FutureAndRequestId async_send_request(typename Kind::Request::SharedPtr request);
  bool remove_pending_request(const FutureAndRequestId & future);
};

template <typename Message>
struct Publisher
{
  void publish(const Message & message);
  std::size_t get_subscription_count() const;
  bool wait_for_all_acked() const;
};

struct Node
{
  using SharedPtr = std::shared_ptr<Node>;
  explicit Node(const std::string & name);
  template <typename Kind>
  std::shared_ptr<Client<Kind>> create_client(const std::string & name);
  template <typename Message>
  std::shared_ptr<Publisher<Message>> create_publisher(const std::string & topic, std::size_t depth);
  Time now() const;
  Logger get_logger() const;
};

void init(int argc, char ** argv);
bool ok();
bool shutdown();
bool sleep_for(std::chrono::nanoseconds duration);
template <typename Future>
FutureReturnCode spin_until_future_complete(Node::SharedPtr node, const Future & future, std::chrono::nanoseconds timeout);
void print(const Logger & logger, const char * format, ...) __attribute__((format(printf, 2, 3)));
}  // namespace rclcpp

#define RCLCPP_INFO(...) rclcpp::print(__VA_ARGS__)
